"""What each rank did at the end, a row each: its last progress, its own failure, what it printed because of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from logsense.model.finding import Finding
from logsense.model.reading import Incident
from logsense.model.record import Record
from logsense.model.report import Culprit, Mark, RankRow
from logsense.util.times import moment_in_year

LEAST_SKEW_S = 1.0  # clocks that differ by less are left as they are
LONGEST_MESSAGE = 200  # characters of an exception


def rank_rows(incident: Incident, culprits: Sequence[Culprit]) -> tuple[RankRow, ...]:
    """Return a row for each rank in the logs, in order; none if there is only one.

    Times are seconds since the earliest mark of all, by clocks that a shared step has set; None where none is printed.
    """
    failing: dict[int, list[Finding]] = {}
    for finding in incident.failing:
        if finding.rank is not None and not finding.signature.ends_run:
            failing.setdefault(finding.rank, []).append(finding)
    progress = _last_progress(incident)
    last = _last_records(incident)
    ranks = sorted({*failing, *progress, *last, *(one.rank for one in culprits if one.rank is not None)})
    if len(ranks) < 2:
        return ()
    at_fault = {one.rank for one in culprits}
    rows = []
    for rank in ranks:
        found = [(progress[rank], "progress")] if rank in progress else []
        found += [(finding, finding.signature.kind) for finding in _naming(failing.get(rank, ()))]
        marks = [_mark(finding, incident, kind) for finding, kind in found]
        record = last.get(rank)
        if record and all(record.lines[-1] > finding.line for finding, _ in found):
            marks.append(Mark("last", "", _moment(record.prefix.time), *record.place(record.lines[-1])))
        host = next((f.host for f in failing.get(rank, ()) if f.host), None)
        rows.append(RankRow(rank, host, rank in at_fault, tuple(marks)))
    return _from_zero(_aligned(rows, incident))


def _last_progress(incident: Incident) -> dict[int, Finding]:
    """Return the last progress that each rank reported before it failed."""
    found: dict[int, Finding] = {}
    for ending in incident.ends:
        for finding in ending.progress:
            if finding.rank is not None:
                found[finding.rank] = finding
    return found


def _last_records(incident: Incident) -> dict[int, Record]:
    """Return the last entry with a time that each rank printed."""
    found: dict[int, Record] = {}
    for ending in incident.ends:
        seen: set[int] = set()
        for record in reversed(ending.records):
            rank = record.prefix.rank
            if rank is not None and rank not in seen and record.prefix.time:
                seen.add(rank)
                found[rank] = record
    return found


def _naming(found: Iterable[Finding]) -> list[Finding]:
    """Return the first failure and the first consequence; of several in one entry, the one with the longest message."""
    first: dict[str, Finding] = {}
    for finding in found:
        kind = finding.signature.kind
        other = first.setdefault(kind, finding)
        if other.offset == finding.offset and _length(other) < _length(finding):
            first[kind] = finding
    failed = {kept.offset for kept in first.values() if kept.signature.kind == "failure"}
    return [kept for kind, kept in first.items() if kind == "failure" or kept.offset not in failed]


def _length(finding: Finding) -> int:
    return max(len(pattern.literal) for pattern in finding.signature.match)


def _mark(finding: Finding, incident: Incident, kind: str) -> Mark:
    step = finding.captures.get("step")
    says = f"step {step:,}" if kind == "progress" and isinstance(step, int) else _words(finding)
    return Mark(kind, says, _moment(_time_of(finding, incident)), *finding.place)


def _words(finding: Finding) -> str:
    """Return what the finding says: the exception if its message is not known, or else the title of the message."""
    raised = finding.record.raised
    if raised and raised.type and "generic" in finding.signature.traits:
        return f"{raised.type}: {raised.message}".strip().partition("\n")[0][:LONGEST_MESSAGE]
    return finding.signature.title


def _time_of(finding: Finding, incident: Incident) -> str | None:
    """Return the time of the finding's entry, or else of the last entry before it that has one."""
    if finding.record.prefix.time:
        return finding.record.prefix.time
    number = incident.order(finding)[0]
    records = incident.ends[number].records if number < len(incident.ends) else ()
    rank = finding.rank
    for record in reversed(records):
        if record.offset < finding.offset and record.prefix.time and record.prefix.rank in (None, rank):
            return record.prefix.time
    return None


def _moment(time: str | None) -> float | None:
    return moment_in_year(time) if time else None


def _aligned(rows: list[RankRow], incident: Incident) -> list[RankRow]:
    """Return the rows with the clocks of their ranks set by the step that most of them report.

    Ranks that work together end a step at the same time; what their clocks differ by then is an error of the clocks.
    """
    steps: dict[int, dict[int, str]] = {}
    for ending in incident.ends:
        for finding in ending.progress:
            step, time, rank = finding.captures.get("step"), finding.record.prefix.time, finding.rank
            if isinstance(step, int) and time and rank is not None:
                steps.setdefault(step, {})[rank] = time
    shared = max(steps, key=lambda step: (len(steps[step]), step), default=None)
    times = (
        {}
        if shared is None
        else {rank: at for rank, time in steps[shared].items() if (at := _moment(time)) is not None}
    )
    if len(times) < 2:
        return rows
    middle = sorted(times.values())[len(times) // 2]
    late = {rank: at - middle for rank, at in times.items()}
    if max(map(abs, late.values())) < LEAST_SKEW_S:
        return rows
    return [row._replace(marks=tuple(_shifted(mark, -late.get(row.rank, 0.0)) for mark in row.marks)) for row in rows]


def _shifted(mark: Mark, by_s: float) -> Mark:
    return mark if mark.at_s is None else mark._replace(at_s=round(mark.at_s + by_s, 3))


def _from_zero(rows: list[RankRow]) -> tuple[RankRow, ...]:
    times = [mark.at_s for row in rows for mark in row.marks if mark.at_s is not None]
    first = min(times, default=0.0)
    return tuple(row._replace(marks=tuple(_shifted(mark, -first) for mark in row.marks)) for row in rows)
