"""Summarize the rows of a survey: jobs per cause, repeat offenders (nodes, GPUs, images), and weeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType

from logsense.model.rule import UNKNOWN
from logsense.model.survey import CauseCount, JobRow, Offender, Survey, Week

NO_PLACES: Mapping[str, str] = MappingProxyType({})
LEAST_JOBS = 2  # of a repeat offender
TREND_WEEKS = 4  # compared with as many before them


def survey_of(rows: Iterable[JobRow], titles: Mapping[str, str], places: Mapping[str, str] = NO_PLACES) -> Survey:
    """Return the survey of `rows`, in their order. `titles` are the titles of causes.

    `places` maps causes and families to where they originate: the "program", its "image", or elsewhere.
    """
    rows = tuple(rows)
    failed = [row for row in rows if row.outcome == "failed" or row.cause]
    suspicious = [row for row in failed if _place(row, places) != "program"]
    weeks = _weeks(rows)
    return Survey(
        rows=rows,
        causes=_causes(failed, titles, weeks),
        offenders=(
            *_offenders(suspicious, "node", "host"),
            *_offenders(suspicious, "GPU", "gpu"),
            *_offenders([row for row in failed if _place(row, places) == "image"], "image", "image", rows),
        ),
        weeks=weeks,
        gpu_hours_lost=_sum(rows),
        gpu_hours_from=sum(row.gpu_hours_lost is not None for row in rows),
    )


def week_of(failed_at: str | None) -> str | None:
    """Return the ISO week of a time: "2026-W07"."""
    if not failed_at:
        return None
    year, week, _ = date.fromisoformat(failed_at[:10]).isocalendar()
    return f"{year}-W{week:02d}"


def _place(row: JobRow, places: Mapping[str, str]) -> str | None:
    cause = row.cause or ""
    return places.get(cause) or places.get(cause.partition(".")[0])


def _spans(weeks: Sequence[Week]) -> tuple[set[str], set[str]] | None:
    """Return the newest weeks and those before them, or None if the survey does not go back far enough."""
    if not weeks:
        return None
    newest = date.fromisocalendar(int(weeks[-1].week[:4]), int(weeks[-1].week[-2:]), 1)
    back = [week_of((newest - timedelta(weeks=count)).isoformat()) or "" for count in range(2 * TREND_WEEKS)]
    known = weeks[0].week <= back[-1]
    return (set(back[:TREND_WEEKS]), set(back[TREND_WEEKS:])) if known else None


def _causes(failed: Sequence[JobRow], titles: Mapping[str, str], weeks: Sequence[Week]) -> tuple[CauseCount, ...]:
    spans = _spans(weeks)
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
            recent=_count_in(spans[0], rows) if spans else None,
            before=_count_in(spans[1], rows) if spans else None,
        )
        for cause, rows in groups.items()
    ]
    return tuple(sorted(counts, key=lambda one: (-one.jobs, one.cause or "~")))


def _count_in(weeks: set[str], rows: Sequence[JobRow]) -> int:
    return sum(1 for row in rows if week_of(row.failed_at) in weeks)


def _offenders(failed: Sequence[JobRow], kind: str, column: str, ran: Sequence[JobRow] | None = None) -> list[Offender]:
    """Return the repeat offenders of this `kind`; `ran` are all jobs, if `column` says for each where it ran."""
    everywhere = Counter(getattr(row, column) for row in ran) if ran is not None else None
    groups: dict[str, list[JobRow]] = {}
    for row in failed:
        name = getattr(row, column)
        if name:
            groups.setdefault(name, []).append(row)
    found = [
        Offender(
            kind,
            name,
            len(rows),
            _by_cause(rows),
            _last(rows),
            min((row.failed_at for row in rows if row.failed_at), default=None),
            _sum(rows),
            everywhere[name] if everywhere else None,
        )
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
    known = [row.gpu_hours_lost for row in rows if row.gpu_hours_lost is not None]
    return round(sum(known), 2) if known else None


def _last(rows: Sequence[JobRow]) -> str | None:
    return max((row.failed_at for row in rows if row.failed_at), default=None)
