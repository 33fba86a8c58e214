"""Determines the ranks at fault: the one that failed first, or the one that all others waited for."""

from __future__ import annotations

from logsense.diagnose.score import Candidate
from logsense.facts.facts import Facts
from logsense.facts.waits import ranks_with_failures
from logsense.model.finding import Finding
from logsense.model.reading import Incident
from logsense.model.report import Culprit


def culprits(first: Candidate | None, incident: Incident, facts: Facts) -> tuple[Culprit, ...]:
    """Return the ranks at fault, as far as the log shows.

    If the cause rests on a consequence, no rank's own failure is known: then the ranks at fault are those that the
    others waited for, or else the one that the launcher saw fail first. The launcher's report also counts if the
    failing line names no rank.
    """
    anchor = first.anchor if first else None
    if anchor is None:
        return ()
    ranks = _ranks(anchor, incident, facts)
    if ranks:
        several = facts.has_many_ranks or facts.get("process.rank", anchor) is not None
        host_of = facts.places.host_of if several else lambda _: None
        own = {f.rank: f for f in reversed(incident.failing) if f.signature.kind == "failure"}
        own = own if anchor.signature.kind == "consequence" else {}
        return tuple(_culprit(rank, anchor.host or host_of(rank), own.get(rank, anchor)) for rank in ranks)
    node = facts.get("job.node", anchor)
    names_node = node is not None and node.finding is anchor
    if anchor.rank is not None or (anchor.host is None and not facts.has_many_ranks and not names_node):
        return ()
    return _from_place(anchor, facts)


def _ranks(anchor: Finding, incident: Incident, facts: Facts) -> tuple[int, ...]:
    stated = facts.get("process.rank", anchor)
    launcher_rank = stated.value if stated and isinstance(stated.value, int) else None
    rank = anchor.rank
    if anchor.signature.kind == "consequence":
        awaited = facts.waits.awaited(anchor)
        # A rank that reports a failure itself was not first, whatever the launcher saw first. Neither was one that
        # exited on its own, if its reports are unknown.
        reporting = ranks_with_failures(incident)
        code = facts.get("process.exit_code", stated.finding) if stated else None
        by_itself = bool(code and isinstance(code.value, int) and code.value > 0)
        unknown = not reporting or (launcher_rank in incident.incomplete_ranks and bool(facts.waits.mismatched))
        if awaited and (launcher_rank is None or launcher_rank in reporting or (unknown and by_itself)):
            return awaited
        # A rank with its own failure, even an unknown one, precedes those that suffered from it.
        own = {f.rank for f in incident.failing if f.signature.kind == "failure" and f.rank is not None}
        if launcher_rank is None and own and anchor.rank not in own and 2 * len(own) <= len(reporting):
            return tuple(sorted(own))
        if _is_of_peer(anchor) and (launcher_rank in (None, anchor.rank)):
            return ()  # it only lost its peer, although the launcher saw it fail first
        if "stalled" in anchor.signature.traits and launcher_rank is None:
            return ()  # it only waited
        rank = launcher_rank if launcher_rank is not None else rank
    rank = launcher_rank if rank is None else rank
    return () if rank is None else (rank,)


def _is_of_peer(anchor: Finding) -> bool:
    """Return whether the message says what a peer did, so that who prints it is not at fault."""
    return any(name.startswith("peer.") for name in anchor.signature.facts)


def _from_place(anchor: Finding, facts: Facts) -> tuple[Culprit, ...]:
    """Return the culprits if the failing line names no rank, as in logs of a machine, scheduler or cluster."""
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
    return Culprit(rank, host, *anchor.place)
