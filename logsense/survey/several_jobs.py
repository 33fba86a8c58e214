"""Tell the logs of one job from those of several: what nothing ties together is never read as one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import combinations

from logsense.match.read import OnProgress, scan_sources
from logsense.model.knowledge import Catalog
from logsense.model.reading import Reading
from logsense.model.record import Record
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.model.survey import Survey
from logsense.pipeline import Look, explain_readings
from logsense.records.rank_by_name import is_of_machine
from logsense.records.records import records_in
from logsense.survey.jobs import group
from logsense.survey.read import row_of, storable
from logsense.survey.tables import survey_of
from logsense.util.noun import NamedTuple
from logsense.util.times import moment_in_year

WINDOW_BYTES = 16 << 10  # of the beginning and of the end of a log, which tell whose it is
# Slots by which messages name the job, or one run of a launcher.
_RUNS = ("job", "job_id", "run_id")
MOST_COMPARED = 64  # groups of logs that are compared with each other


class JobLogs(NamedTuple):
    """The report on one job, and the sources that are its logs."""

    name: str
    sources: tuple[Source, ...]
    report: Report


class _Marks(NamedTuple):
    """What ties a group of logs to others: ranks, runs, processes, and machines with the time on their clocks."""

    ranks: frozenset[int]
    runs: frozenset[str]
    processes: frozenset[tuple[str, int]]
    hosts: frozenset[str]
    span: tuple[float, float] | None
    of_machine: bool


def explain_apart(
    sources: Sequence[Source], catalog: Catalog, *, look: Look | None = None, on_progress: OnProgress | None = None
) -> list[JobLogs]:
    """Return the report on each of the jobs that `sources` are the logs of, in the order of the first log of each."""
    readings = scan_sources(sources, catalog, on_progress)
    numbers = {source.name.replace("\\", "/"): number for number, source in enumerate(sources)}
    if len(numbers) < len(sources):  # the same log twice
        groups = {sources[0].name: list(range(len(sources)))}
    else:
        groups = {name: [numbers[path] for path in paths] for name, paths in group(numbers).items()}
    jobs = sorted(_tied(groups, readings), key=lambda job: min(job[1]))
    return [
        JobLogs(
            name,
            tuple(sources[number] for number in sorted(members)),
            explain_readings([readings[number] for number in sorted(members)], catalog, look),
        )
        for name, members in jobs
    ]


def job_to_explain(jobs: Sequence[JobLogs]) -> JobLogs:
    """Return the job to explain in a format for one report: the first that failed, or else the first."""
    return next((job for job in jobs if job.report.outcome == "failed"), jobs[0])


def count_of(jobs: Sequence[JobLogs]) -> str:
    """Return the number of jobs in words."""
    return f"{sum(len(job.sources) for job in jobs)} logs of what look like {len(jobs)} jobs"


def as_survey(jobs: Sequence[JobLogs], catalog: Catalog) -> Survey:
    """Return a survey of `jobs`, under their absolute paths if they have one."""
    rows = [storable(row_of(_path(job), job.report, [source.name for source in job.sources], None)) for job in jobs]
    return survey_of(rows, catalog.causes)


def _path(job: JobLogs) -> str:
    is_here = all(os.path.exists(source.name) for source in job.sources)
    return os.path.abspath(job.name) if is_here else job.name


def _tied(groups: dict[str, list[int]], readings: Sequence[Reading]) -> list[tuple[str, list[int]]]:
    """Return `groups`, with those merged whose logs name the same job, process or machine."""
    names = list(groups)
    if not 1 < len(names) <= MOST_COMPARED:
        return list(groups.items())
    marks = {name: _marks([readings[number] for number in groups[name]]) for name in names}
    jobs = [name for name in names if not marks[name].of_machine]
    leads = {name: name for name in names}

    def lead_of(name: str) -> str:
        while leads[name] != name:
            name = leads[name]
        return name

    for one, other in combinations(names, 2):
        beside = marks[one].of_machine or marks[other].of_machine
        # The log of a machine is put beside those of the only job that is asked about.
        if _are_tied(marks[one], marks[other]) or (beside and len(jobs) <= 1):
            leads[lead_of(other)] = lead_of(one)
    joined: dict[str, list[int]] = {}
    for name in names:
        joined.setdefault(lead_of(name), []).extend(groups[name])
    return list(joined.items())


def _are_tied(one: _Marks, other: _Marks) -> bool:
    if one.runs and other.runs:
        return not one.runs.isdisjoint(other.runs)
    apart = one.span and other.span and not (one.span[0] <= other.span[1] and other.span[0] <= one.span[1])
    if one.ranks and other.ranks and one.ranks.isdisjoint(other.ranks):
        return not apart
    if not one.span or not other.span or apart:
        return False
    # Several jobs may run on one machine at the same time.
    beside = one.of_machine or other.of_machine
    return not (one.hosts.isdisjoint(other.hosts) if beside else one.processes.isdisjoint(other.processes))


def _marks(readings: Sequence[Reading]) -> _Marks:
    found = [record for reading in readings for record in _read(reading)]
    times = [moment for one in found if one.prefix.time and (moment := moment_in_year(one.prefix.time)) is not None]
    captures = [finding.captures for reading in readings for finding in reading.findings]
    return _Marks(
        ranks=frozenset(rank for one in found if (rank := one.prefix.rank) is not None),
        runs=frozenset(str(one[slot]) for one in captures for slot in _RUNS if one.get(slot) is not None),
        processes=frozenset((one.prefix.host, pid) for one in found if one.prefix.host and (pid := one.prefix.pid)),
        hosts=frozenset(one.prefix.host for one in found if one.prefix.host),
        span=(min(times), max(times)) if times else None,
        of_machine=all(is_of_machine(reading.source) for reading in readings),
    )


def _read(reading: Reading) -> Iterable[Record]:
    """Return the first and the last records of a log."""
    head, tail = reading.head.cut(0, WINDOW_BYTES), reading.tail.last(WINDOW_BYTES)
    for part in (head, tail) if reading.size > len(head.text) else (head,):
        yield from records_in(reading, part)
