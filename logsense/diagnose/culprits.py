"""Who is at fault: the rank that failed first, or the one that all others waited for."""

from __future__ import annotations

from logsense.diagnose.score import Candidate
from logsense.facts.facts import Facts
from logsense.facts.waits import complaining, field
from logsense.model.finding import Finding
from logsense.model.reading import Incident
from logsense.model.report import Culprit


def culprits(first: Candidate | None, incident: Incident, facts: Facts) -> tuple[Culprit, ...]:
    """The ranks at fault, as far as the log tells.

    Where the cause stands on a mere consequence, nobody's own failure is known: then those are at fault whom the others
    waited for, or else the one that the launcher saw fail first. Its account also counts where the failing line names
    no rank.
    """
    anchor = first.anchor if first else None
    if anchor is None:
        return ()
    ranks = _ranks(anchor, incident, facts)
    if ranks:
        host_of = facts.places.host_of if facts.has_many_ranks else lambda _: None
        own = {f.rank: f for f in reversed(incident.failing) if f.signature.kind == "failure"}
        own = own if anchor.signature.kind == "consequence" else {}
        return tuple(_culprit(rank, anchor.host or host_of(rank), own.get(rank, anchor)) for rank in ranks)
    if anchor.host is None and not facts.has_many_ranks:
        return ()
    return _beside(anchor, incident, facts)


def _ranks(anchor: Finding, incident: Incident, facts: Facts) -> tuple[int, ...]:
    told = facts.get("process.rank", anchor)
    launchers = told.value if told and isinstance(told.value, int) else None
    rank = anchor.rank if anchor.rank is not None else field(anchor)
    if anchor.signature.kind == "consequence":
        awaited = facts.waits.awaited(anchor)
        # A rank that complains itself is not the one that went first, whatever the launcher saw first; nor, where
        # it can't be known whether it complained, is one that ended by itself.
        complain = complaining(incident)
        code = facts.get("process.exit_code", told.finding) if told else None
        by_itself = bool(code and isinstance(code.value, int) and code.value > 0)
        unknown = not complain or (launchers in incident.incomplete_ranks and bool(facts.waits.mismatched))
        if awaited and (launchers is None or launchers in complain or (unknown and by_itself)):
            return awaited
        # Nobody can tell what its failure was, but a rank with one of its own went before those that suffered from it.
        own = {f.rank for f in incident.failing if f.signature.kind == "failure" and f.rank is not None}
        if launchers is None and own and anchor.rank not in own and 2 * len(own) <= len(complain):
            return tuple(sorted(own))
        rank = launchers
    rank = launchers if rank is None else rank
    rank = anchor.rank if rank is None else rank
    return () if rank is None else (rank,)


def _beside(anchor: Finding, incident: Incident, facts: Facts) -> tuple[Culprit, ...]:
    """Who is at fault where the failing line names no rank, as in the log of a machine, a scheduler or a cluster."""
    places = facts.places
    place = places.of(anchor)
    if place.rank is not None:
        return (_culprit(place.rank, place.host, anchor),)
    if place.host is None and places.is_of_rank(anchor.record.source):
        return ()
    waited = facts.waits.awaited(anchor)
    if place.host is None:
        return tuple(_culprit(rank, places.host_of(rank), anchor) for rank in waited)
    waited = tuple(rank for rank in waited if not places.is_elsewhere(rank, place.host))
    return tuple(_culprit(rank, place.host, anchor) for rank in waited or (None,))


def _culprit(rank: int | None, host: str | None, anchor: Finding) -> Culprit:
    return Culprit(rank, host, anchor.record.source, anchor.line)
