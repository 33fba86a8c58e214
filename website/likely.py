"""Which causes a message means most often by itself: what logsense says of the message's own samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from logsense.cli.causes import strengths
from logsense.model.catalog import Catalog
from logsense.pipeline import explain_text

TRIED = 3  # samples of each message
UNTRIED = 1e-6  # what a rule's argument counts beside an answer


def likely(catalog: Catalog, samples: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The causes that each message may mean, likeliest first: those that its `samples` were explained with, and behind
    them those whose rules ask for it. A message without samples here has the rules' order."""
    weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for cause in catalog.causes:
        rule = catalog.rule(cause)
        for name, strength in strengths(rule, catalog).items() if rule else ():
            if strength > 0:
                weights[name][cause] = UNTRIED * strength
    for name, causes in weights.items():
        for text in samples.get(name, ())[:TRIED] if len(causes) > 1 else ():
            for diagnosis in explain_text(text.encode(), catalog).diagnoses:
                if diagnosis.cause in causes:
                    causes[diagnosis.cause] += diagnosis.confidence
    return {name: sorted(causes, key=lambda one: (-causes[one], one)) for name, causes in weights.items()}
