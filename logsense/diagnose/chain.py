"""Links consequences: which messages of which ranks followed from which others."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.diagnose.score import Candidate
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident
from logsense.model.report import Consequence
from logsense.model.signature import Signature

AFTER_ALL = 1000  # the depth of what ends a run


def consequences(incident: Incident, first: Candidate | None, catalog: Catalog) -> tuple[Consequence, ...]:
    """Return the consequences in `incident`, nearest to the failure first, each with the one that it follows from.

    The order comes from `consequence_of` of the signatures; a message that ends a run follows all others.
    """
    groups = _groups(incident, first)
    parents = {one: _parent(found[0].signature, groups, catalog) for one, found in groups.items()}
    for one in [*groups]:
        groups[one] = _without_same(groups[one], groups.get(parents[one], ()))
        if not groups[one]:
            del groups[one]
    parents = {one: _parent(found[0].signature, groups, catalog) for one, found in groups.items()}
    order = sorted(groups, key=lambda one: _depth(one, parents, groups))
    return tuple(_consequence(groups[one], groups, parents[one]) for one in order)


def _groups(incident: Incident, first: Candidate | None) -> dict[str, list[Finding]]:
    """Return the findings of each consequence, in order, except those that represent the cause itself."""
    failed = {f.record.key for f in incident.failing if f.signature.kind == "failure"}
    groups: dict[str, list[Finding]] = {}
    for finding in incident.failing:
        signature = finding.signature
        if signature.kind != "consequence" or finding.record.key in failed:
            continue
        if first and first.anchor and first.anchor.signature.id == signature.id:
            continue
        groups.setdefault(signature.id, []).append(finding)
    return groups


def _parent(signature: Signature, groups: dict[str, list[Finding]], catalog: Catalog) -> str:
    """Return the first consequence in `consequence_of` that was found; "" for the failure itself."""
    for wanted in signature.consequence_of:
        known = catalog.expand((wanted,))
        seen = next((one for one in groups if one in known and one != signature.id), None)
        if seen:
            return seen
    return ""


def _without_same(found: Sequence[Finding], nearer: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are not in the same record as a nearer consequence."""
    places = {finding.record.key for finding in nearer}
    return [finding for finding in found if finding.record.key not in places]


def _depth(one: str, parents: dict[str, str], groups: dict[str, list[Finding]]) -> int:
    """Return the number of links to the failure; what ends a run comes after everything else."""
    depth, seen = 0, {one}
    while parents[one] and parents[one] not in seen:
        one = parents[one]
        seen.add(one)
        depth += 1
    return depth + (AFTER_ALL if groups[one][0].signature.ends_run else 0)


def _consequence(found: Sequence[Finding], groups: dict[str, list[Finding]], parent: str) -> Consequence:
    return Consequence(
        says=found[0].signature.title,
        ranks=tuple(sorted({finding.rank for finding in found if finding.rank is not None})),
        seen=len(found),
        after=groups[parent][0].signature.title if parent else "",
    )
