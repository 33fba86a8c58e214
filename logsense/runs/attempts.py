"""Tells the last attempt at a job from those before it: restarts in one log, logs with a folder for each attempt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from logsense.model.reading import FAILING, Excerpt, Reading
from logsense.records.rank_by_name import attempt_of
from logsense.runs.cells import cells_apart
from logsense.runs.launchers import run_begins
from logsense.runs.opening_again import with_restarts
from logsense.util.noun import NamedTuple

# Of a job that was started again and again, so many attempts before the last are looked at.
MOST = 32


class Job(NamedTuple):
    """The readings of the attempt that is asked about, those of the other attempts, oldest first, and other cells that
    failed, of a notebook. `more` means that there may be more attempts."""

    asked: list[Reading]
    others: list[list[Reading]]
    cells: list[Reading]
    more: bool = False


def split_runs(readings: Sequence[Reading]) -> Job:
    """Return the attempts in the logs of a job; the last one is taken to be asked about."""
    apart = [cells_apart(reading) for reading in readings]
    *others, last = attempts(with_restarts([asked for asked, _ in apart]))
    more = len(others) > MOST or any(map(_is_only_counted, last))
    return Job(last, others[-MOST:], [cell for _, cells in apart for cell in cells], more)


def _is_only_counted(reading: Reading) -> bool:
    """Return whether a failure came so often in a log that not every occurrence is a finding."""
    return any(one.signature.kind in FAILING and one.signature.id in reading.only_counted for one in reading.findings)


def attempts(readings: Sequence[Reading]) -> list[list[Reading]]:
    """Return the readings of each attempt, oldest first.

    A log of no attempt, by its name, is of the last one. A log that holds several runs stays whole in the last attempt:
    what came before is looked at there, too.
    """
    numbers = {reading.source: attempt_of(reading.source) for reading in readings}
    last = max((number for number in numbers.values() if number is not None), default=0)
    newest = [reading for reading in readings if numbers[reading.source] in (None, last)]
    earlier: dict[int, list[Reading]] = {}
    for reading in readings:
        number = numbers[reading.source]
        if number is not None and number != last:
            earlier.setdefault(number - last, []).append(reading)
    if not earlier:
        for reading in newest:
            for back, run in enumerate(runs_before(reading)):
                earlier.setdefault(-back, []).append(run)
    return [*(earlier[number] for number in sorted(earlier)), newest]


def runs_before(reading: Reading) -> list[Reading]:
    """Return the latest runs in a log before its last one, latest first, each with what is known of its end."""
    begins = [0, *run_begins(reading)]
    runs: list[Reading] = []
    for first, behind in reversed(list(pairwise(begins))[-MOST - 1 :]):
        begin, end = (begin_of(reading, number) for number in (first, behind))
        run = _part(reading, begin, end)._replace(lines=reading.findings[behind].line - 1, restarts=())
        runs.append(run._replace(findings=reading.findings[first:behind]))
    return runs


def begin_of(reading: Reading, number: int) -> int:
    """Return the offset at which the run begins whose first finding has this number."""
    if number == 0:
        first = reading.findings[0].offset if reading.findings else 0
        return next((restart for restart in reversed(reading.restarts) if restart <= first), 0)
    before, first = reading.findings[number - 1].offset, reading.findings[number].offset
    return next((restart for restart in reading.restarts if before < restart <= first), first)


def last_begin(reading: Reading) -> int:
    """Return the offset at which the last run in a log begins."""
    return begin_of(reading, next(reversed(run_begins(reading)), 0))


def _part(reading: Reading, begin: int, end: int) -> Reading:
    """`reading` with the end of what stands from `begin` up to `end`, or else with what stands before its last
    failure."""
    reading = reading._replace(end=None)
    if max(begin, reading.tail.offset) < end:
        tail = reading.tail.cut(begin, end)
        return reading._replace(tail=tail, head=tail if begin else reading.head)
    lead = next((lead for lead in reversed(reading.texts_before) if begin <= lead.offset and lead.end <= end), None)
    return reading._replace(tail=lead or Excerpt(end))
