"""Determines which causes each message may mean, likeliest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from logsense.authoring.likely import likely
from logsense.cli.causes import strengths
from logsense.model.knowledge import Catalog


def causes_of_all(catalog: Catalog, samples: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the causes of each message by its id. Without `samples`, the rules' weights decide the order."""
    weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for cause in catalog.causes:
        rule = catalog.rule(cause)
        for name, strength in strengths(rule, catalog).items() if rule else ():
            if strength > 0:
                weights[name][cause] = strength
    return {name: likely(catalog, known, samples.get(name, ())) for name, known in weights.items()}
