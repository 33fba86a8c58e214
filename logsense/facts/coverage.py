"""Determines which ranks of a job have no log, an empty one, or one that is cut off early."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.facts.waits import launcher_summary
from logsense.model.reading import Coverage, Incident, Reading

# No job has more ranks; a larger number in a log is an error.
MOST_RANKS = 16_384
WORLD = "job.world_size"
# Ranks advance together: a log that lacks so many of the others' steps is cut off.
STEPS_BEHIND = 4


def coverage(readings: Sequence[Reading], incident: Incident) -> Coverage | None:
    """Return what is missing from a job with one log per rank; None if nothing is, or the job is of another kind.

    The number of ranks is what the job states, or else follows from the highest rank mentioned.
    """
    sizes: dict[int, int] = {}
    for reading in readings:
        rank = reading.place[0]
        if rank is not None:
            sizes[rank] = sizes.get(rank, 0) + reading.size
    if len(sizes) < 2 or max(sizes) >= MOST_RANKS:
        return None
    ranks = max([max(sizes) + 1, *_stated(incident)])
    printing = _printing_ranks(incident)
    missing = tuple(rank for rank in range(ranks) if rank not in sizes and rank not in printing)
    empty = tuple(sorted(rank for rank, size in sizes.items() if not size))
    cut = _cut(incident)
    return Coverage(ranks, missing, empty, cut) if missing or empty or cut else None


def _printing_ranks(incident: Incident) -> set[int | None]:
    """Return the ranks that printed something, in their own logs or a shared one."""
    found = {finding.rank for finding in (*incident.context, *incident.failing) if not finding.signature.ends_run}
    for ending in incident.ends:
        found |= {record.prefix.rank for record in ending.records}
        found |= {finding.rank for finding in ending.progress}
    return found


def _stated(incident: Incident) -> list[int]:
    """Return the numbers of ranks that messages state or imply."""
    found = []
    for finding in (*incident.context, *incident.failing):
        slot = finding.signature.facts.get(WORLD)
        stated = finding.captures.get(slot) if slot else None
        found += [stated] if isinstance(stated, int) else []
    failed, stopped = launcher_summary(incident)
    found += [rank + 1 for rank in failed | stopped]
    return [one for one in found if one <= MOST_RANKS]


def _cut(incident: Incident) -> tuple[int, ...]:
    """Return the ranks without a failure whose last step is far behind the others."""
    steps: dict[int, set[int]] = {}
    for ending in incident.ends:
        for finding in ending.progress:
            step = finding.captures.get("step")
            if isinstance(step, int) and finding.rank is not None:
                steps.setdefault(finding.rank, set()).add(step)
    if len(steps) < 2:
        return ()
    usual = sorted(max(own) for own in steps.values())[len(steps) // 2]
    failing = {finding.rank for finding in incident.failing}
    reported = set().union(*steps.values())
    return tuple(
        sorted(
            rank
            for rank, own in steps.items()
            if rank not in failing and sum(max(own) < step <= usual for step in reported) >= STEPS_BEHIND
        )
    )
