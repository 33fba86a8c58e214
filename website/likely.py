"""Which causes a message means most often by itself: what logsense says of the message's own samples."""

from __future__ import annotations

from collections import defaultdict

from logsense.cli.causes import strength
from logsense.model.catalog import Catalog
from logsense.pipeline import explain_text
from website.commonness import Sampled

TRIED = 3  # samples of each message
UNTRIED = 1e-6  # what a rule's argument counts beside an answer


def likely(catalog: Catalog, name: str, samples: list[Sampled]) -> list[str]:
    """The causes that the message `name` may mean, likeliest first: those that its samples were explained with, and
    behind them those whose rules ask for it."""
    weights: defaultdict[str, float] = defaultdict(float)
    for rule in catalog.rules_for(frozenset({name})):
        weights[rule.cause] += UNTRIED * max(0.0, strength(rule, name, catalog))
    if len(weights) > 1:
        for sample in samples[:TRIED]:
            for diagnosis in explain_text(sample.text.encode(), catalog).diagnoses:
                if diagnosis.cause in weights:
                    weights[diagnosis.cause] += diagnosis.confidence
    return [cause for cause in sorted(weights, key=lambda one: (-weights[one], one)) if weights[cause] > 0]
