"""Adds the rows of a survey up: causes over jobs, nodes and GPUs that come again, weeks."""

from __future__ import annotations

from collections import Counter
from datetime import date

from logsense.model.survey import CauseCount, JobRow, Offender, Survey, Week

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

UNKNOWN = "not known"
# Families of causes that lie in the program, on whatever machine it runs.
PROGRAM = ("code", "data", "numerics", "gpu-memory")
ELSEWHERE = ("gpu-memory.other-process",)  # in these families, and yet of the machine
LEAST_JOBS = 2  # from which on a node or GPU comes again


def survey_of(rows: Iterable[JobRow], titles: Mapping[str, str]) -> Survey:
    """The survey over `rows`, whose order stays as it is; `titles` are those of causes."""
    rows = tuple(rows)
    failed = [row for row in rows if row.outcome == "failed" or row.cause]
    suspicious = [row for row in failed if row.cause in ELSEWHERE or (row.cause or "").partition(".")[0] not in PROGRAM]
    told = [row.gpu_hours_lost for row in rows if row.gpu_hours_lost is not None]
    return Survey(
        rows=rows,
        causes=_causes(failed, titles),
        offenders=(*_offenders(suspicious, "node", "host"), *_offenders(suspicious, "GPU", "gpu")),
        weeks=_weeks(rows),
        gpu_hours_lost=_sum(rows),
        gpu_hours_from=len(told),
    )


def week_of(failed_at: str | None) -> str | None:
    """The ISO week of a time: "2026-W07"."""
    if not failed_at:
        return None
    year, week, _ = date.fromisoformat(failed_at[:10]).isocalendar()
    return f"{year}-W{week:02d}"


def _causes(failed: Sequence[JobRow], titles: Mapping[str, str]) -> tuple[CauseCount, ...]:
    groups: dict[str | None, list[JobRow]] = {}
    for row in failed:
        groups.setdefault(row.cause, []).append(row)
    counts = [
        CauseCount(
            cause=cause,
            title=titles.get(cause, cause) if cause else UNKNOWN,
            jobs=len(rows),
            share=round(len(rows) / len(failed), 4),
            gpu_hours_lost=_sum(rows),
            last=_last(rows),
        )
        for cause, rows in groups.items()
    ]
    return tuple(sorted(counts, key=lambda one: (-one.jobs, one.cause or "~")))


def _offenders(failed: Sequence[JobRow], kind: str, column: str) -> list[Offender]:
    groups: dict[str, list[JobRow]] = {}
    for row in failed:
        name = getattr(row, column)
        if name:
            groups.setdefault(name, []).append(row)
    found = [
        Offender(kind, name, len(rows), _by_cause(rows), _last(rows))
        for name, rows in groups.items()
        if len(rows) >= LEAST_JOBS
    ]
    return sorted(found, key=lambda one: (-one.jobs, one.name))


def _weeks(rows: Sequence[JobRow]) -> tuple[Week, ...]:
    groups: dict[str, list[JobRow]] = {}
    for row in rows:
        week = week_of(row.failed_at)
        if week:
            groups.setdefault(week, []).append(row)
    weeks = []
    for week, members in sorted(groups.items()):
        failed = [row for row in members if row.outcome == "failed" or row.cause]
        weeks.append(Week(week, len(members), len(failed), _sum(members), _by_cause(failed)))
    return tuple(weeks)


def _by_cause(rows: Sequence[JobRow]) -> tuple[tuple[str, int], ...]:
    counts = Counter(row.cause or UNKNOWN for row in rows)
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _sum(rows: Sequence[JobRow]) -> float | None:
    told = [row.gpu_hours_lost for row in rows if row.gpu_hours_lost is not None]
    return round(sum(told), 2) if told else None


def _last(rows: Sequence[JobRow]) -> str | None:
    return max((row.failed_at for row in rows if row.failed_at), default=None)
