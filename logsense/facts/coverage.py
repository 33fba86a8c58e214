"""Of which ranks of a job there are logs, and of which there is none, an empty one, or one that breaks off early."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.facts.waits import summed_up
from logsense.model.reading import Incident, Reading
from logsense.model.report import Coverage

# A number of ranks beyond this is no job's, but a number that a log made up.
MOST_RANKS = 16_384
WORLD = "job.world_size"
# Ranks go on together. One whose log lacks so many of the steps that others report broke off before the job did.
STEPS_BEHIND = 4


def coverage(readings: Sequence[Reading], incident: Incident) -> Coverage | None:
    """What is missing of the logs of a job that left one for each rank; None where nothing is, or it did not.

    How many ranks there were is what the job says, or else the highest that anything tells of.
    """
    sizes: dict[int, int] = {}
    for reading in readings:
        rank = reading.place[0]
        if rank is not None:
            sizes[rank] = sizes.get(rank, 0) + reading.size
    if len(sizes) < 2 or max(sizes) >= MOST_RANKS:
        return None
    ranks = max([max(sizes) + 1, *_stated(incident)])
    heard = _heard(incident)
    missing = tuple(rank for rank in range(ranks) if rank not in sizes and rank not in heard)
    empty = tuple(sorted(rank for rank, size in sizes.items() if not size))
    cut = _cut(incident)
    return Coverage(ranks, missing, empty, cut) if missing or empty or cut else None


def _heard(incident: Incident) -> set[int | None]:
    """The ranks that printed something, in logs of their own or in one that they share."""
    found = {finding.rank for finding in (*incident.context, *incident.failing) if not finding.signature.ends_run}
    for ending in incident.ends:
        found |= {record.prefix.rank for record in ending.records}
        found |= {finding.rank for finding in ending.progress}
    return found


def _stated(incident: Incident) -> list[int]:
    """The numbers of ranks that messages state, or that follow from the ranks that they name."""
    found = []
    for finding in (*incident.context, *incident.failing):
        slot = finding.signature.facts.get(WORLD)
        stated = finding.captures.get(slot) if slot else None
        found += [stated] if isinstance(stated, int) else []
    failed, stopped = summed_up(incident)
    found += [rank + 1 for rank in failed | stopped]
    return [one for one in found if one <= MOST_RANKS]


def _cut(incident: Incident) -> tuple[int, ...]:
    """The ranks that complain of nothing, and whose last step the others left far behind."""
    steps: dict[int, set[int]] = {}
    for ending in incident.ends:
        for finding in ending.progress:
            step = finding.captures.get("step")
            if isinstance(step, int) and finding.rank is not None:
                steps.setdefault(finding.rank, set()).add(step)
    if len(steps) < 2:
        return ()
    usual = sorted(max(own) for own in steps.values())[len(steps) // 2]
    told = {finding.rank for finding in incident.failing}
    reported = set().union(*steps.values())
    return tuple(
        sorted(
            rank
            for rank, own in steps.items()
            if rank not in told and sum(max(own) < step <= usual for step in reported) >= STEPS_BEHIND
        )
    )
