"""Brings the logs of one job together by their clocks: which failed first, and which speak of another time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logsense.model.finding import Finding
from logsense.model.reading import FAILING, Excerpt, Reading
from logsense.records.records import records_in
from logsense.util.times import moment_in_year

HEAD_BYTES = 4096  # the first lines of a log, which tell when the run began
HEADS = 16  # so many logs tell when the job began
# Clocks of one job may be set to different zones; what is farther apart than they can be is of another day.
ZONES_S = 15 * 3600
HALF_A_YEAR_S = 183 * 86_400


def in_time(readings: list[Reading]) -> list[Reading]:
    """`readings` with those first whose failures came first, where all of them carry a date; else in their own
    order."""
    if len(readings) < 2:
        return readings
    failed = {id(reading): _failed_at(reading) for reading in readings if _failures(reading)}
    if None in failed.values():
        return readings
    return sorted(readings, key=lambda reading: (0, failed[id(reading)]) if id(reading) in failed else (1, 0.0))


def of_this_job(readings: list[Reading]) -> list[Reading]:
    """`readings` without what a machine's own log says of the time before the job: it goes back for weeks.

    Beside logs that name their rank, all others may be of machines.
    """
    ranks = any(reading.place[0] is not None for reading in readings)
    machines = [reading for reading in readings if reading.place[1] or (ranks and reading.place[0] is None)]
    began = _began([reading for reading in readings if reading not in machines]) if machines else None
    if began is None:
        return readings
    return [
        reading._replace(findings=[finding for finding in reading.findings if not _is_before(finding, began)])
        if reading in machines
        else reading
        for reading in readings
    ]


def _began(readings: Sequence[Reading]) -> float | None:
    times = [moment for reading in readings[:HEADS] for moment in _moments(reading, reading.head.cut(0, HEAD_BYTES))]
    return min(times, default=None)


def _is_before(finding: Finding, began: float) -> bool:
    printed = finding.record.prefix.time
    moment = moment_in_year(printed) if printed else None
    return moment is not None and ZONES_S < began - moment < HALF_A_YEAR_S


def _failures(reading: Reading) -> list[Finding]:
    return [finding for finding in reading.findings if finding.signature.kind in FAILING]


def _failed_at(reading: Reading) -> float | None:
    """Return the time of the first failure in a source: its own, or the last one before it."""
    first = _failures(reading)[0]
    printed = first.record.prefix.time
    moment = moment_in_year(printed) if printed else None
    if moment is not None:
        return moment
    lead = next((lead for lead in reading.texts_before if lead.offset <= first.offset <= lead.end), None)
    if lead is None:
        return None
    return next(reversed([*_moments(reading, lead.last(HEAD_BYTES))]), None)


def _moments(reading: Reading, part: Excerpt) -> Iterator[float]:
    for record in records_in(reading, part):
        moment = moment_in_year(record.prefix.time) if record.prefix.time else None
        if moment is not None:
            yield moment
