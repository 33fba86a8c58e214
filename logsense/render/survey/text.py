"""Render a survey for a terminal: jobs, weeks, repeat offenders and causes, with the totals last."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from itertools import compress

from rich.text import Text

from logsense.model.rule import UNKNOWN
from logsense.model.survey import CauseCount, JobRow, Offender, Survey
from logsense.model.values import show_seconds
from logsense.render.clean import ascii_only, one_line
from logsense.render.console import Column, printed, table_of
from logsense.render.layout import Look, cut_end
from logsense.render.words import percent_in_words

MOST_JOBS, MOST_CAUSES, MOST_OFFENDERS, FEWER_OFFENDERS, MOST_WEEKS = 40, 12, 10, 5, 12
MOST_UNREADABLE = 5
BAR = 16
WIDTH_FOR_TITLES, WIDTH_FOR_BARS, WIDTH_FOR_DATES = 116, 90, 72  # narrower terminals lack these columns
LEAST_GPU_HOURS = 0.1  # below this, the time is shown instead
WRAPPED = ("causes", "at fault", "")  # the columns that give way on a narrow terminal
LEAST_NAME, MOST_NODE = 20, 20  # columns
FIRST_TO_GO = ("sure", "node", "rank")  # columns of the jobs, where the name of a job would become too short
GAP = 3  # columns between two cells


def survey_text(survey: Survey, look: Look) -> str:
    """Return `survey` as text tables. Without `look.verbose`, long tables are cut, with a note."""
    parts = _jobs(survey.rows, look)
    parts += _unreadable(survey.rows, look)
    parts += _weeks(survey, look)
    parts += _offenders(survey, look)
    parts += _causes(survey, look)
    parts.append(headline(survey))
    text = "\n\n".join(part.rstrip("\n") for part in parts) + "\n"
    return text if look.unicode else ascii_only(text)


def headline(survey: Survey) -> str:
    """Return the totals in one line."""
    counts = Counter(row.outcome for row in survey.rows)
    unknown = sum(1 for row in survey.rows if row.outcome == "failed" and not row.cause)
    parts = [f"{counts['failed']:,} failed" + (f" ({unknown:,} of unknown cause)" if unknown else "")]
    names = {"completed": "completed", "running": "still going", "unknown": "without a failure or an end"}
    parts += [f"{counts[name]:,} {words}" for name, words in names.items() if counts[name]]
    parts += [f"{counts['unreadable']:,} unreadable"] if counts["unreadable"] else []
    jobs = len(survey.rows)
    hours = survey.gpu_hours_lost
    cost = f"; {hours:,.1f} GPU hours lost (known for {survey.gpu_hours_from:,})" if hours else ""
    return f"{jobs:,} job{'' if jobs == 1 else 's'}: {', '.join(parts)}{cost}"


def answer_text(columns: Sequence[str], rows: Sequence[Sequence[object]], look: Look) -> str:
    """Return the result of an SQL query as a table with a header."""
    sides = [
        "right" if rows and isinstance(value, (int, float)) else "left" for value in (rows[0] if rows else columns)
    ]
    shown = [["" if value is None else str(value) for value in row] for row in rows]
    text = _table([(one_line(name), "", side) for name, side in zip(columns, sides, strict=True)], shown, look)
    return text if look.unicode else ascii_only(text)


def _jobs(rows: Sequence[JobRow], look: Look) -> list[str]:
    selected = [row for row in rows if look.verbose or row.outcome not in ("completed", "running")]
    selected.sort(key=lambda row: (row.outcome != "unknown", row.failed_at or ""), reverse=True)
    shown = selected if look.verbose else selected[:MOST_JOBS]
    if not shown:
        return []
    folder = common_folder(rows)
    names = {os.path.basename(row.job) for row in rows}
    file = f"/{names.pop()}" if len(names) == 1 and len(rows) > 1 else ""
    columns: list[Column] = [
        ("job", "", "left"), ("cause", "", "left"), ("sure", "", "right"), ("rank", "", "right"), ("node", "", "left"),
        ("when", "", "left"), ("lost", "", "right"),
    ]  # fmt: skip
    cells = [
        [
            row.job[len(folder) :].removesuffix(file),
            row.cause or ("(no failure or end)" if row.outcome == "unknown" else f"({row.outcome})"),
            percent_in_words(row.confidence) if row.confidence is not None else "",
            "" if row.rank is None else str(row.rank),
            cut_end(row.host or "", MOST_NODE),
            (row.failed_at or "")[: 16 if look.width >= WIDTH_FOR_BARS else 10].replace("T", " "),
            lost(row),
        ]
        for row in shown
    ]
    for title in FIRST_TO_GO:
        if _room(columns, cells, look) < LEAST_NAME:
            columns, cells = _without([name for name, *_ in columns].index(title), columns, cells)
    room = max(_room(columns, cells, look), LEAST_NAME)
    for row in cells:
        row[0] = _cut_middle(row[0], room)
    more = len(rows) - len(shown)
    note = f"\n({more:,} more: -v, --format csv)" if more else ""
    where = f" in {one_line(folder)}{f'*{one_line(file)}' if file else ''}" if folder else ""
    order = ", latest failures first" if len({row.failed_at for row in shown}) > 1 else ""
    return [f"Jobs{where}{order}\n{_table(columns, cells, look)}{note}"]


def _room(columns: list[Column], cells: list[list[str]], look: Look) -> int:
    """Return how wide the first column may be."""
    others = [[title, *(row[at] for row in cells)] for at, (title, *_) in enumerate(columns) if at]
    return look.width - 2 - sum(GAP + max(map(len, other)) for other in others if any(other[1:]))


def _cut_middle(name: str, columns: int) -> str:
    half = (columns - 1) // 2
    return name if len(name) <= columns else f"{name[:half]}…{name[-half:]}"


def lost(row: JobRow) -> str:
    """Return what the failure cost, in GPU hours or else in time; empty if unknown."""
    if row.gpu_hours_lost is not None and row.gpu_hours_lost >= LEAST_GPU_HOURS:
        return f"{row.gpu_hours_lost:,.1f} GPU h"
    return show_seconds(max(round(row.lost_s), 1)) if row.lost_s else ""


def _unreadable(rows: Sequence[JobRow], look: Look) -> list[str]:
    reasons = [one_line(row.problem or row.job) for row in rows if row.outcome == "unreadable"]
    shown = reasons if look.verbose else reasons[:MOST_UNREADABLE]
    return (
        ["Unreadable\n" + "\n".join(f" {reason}" for reason in shown) + _more(len(reasons) - len(shown))]
        if shown
        else []
    )


def _causes(survey: Survey, look: Look) -> list[str]:
    if not survey.causes:
        return []
    shown = survey.causes if look.verbose else survey.causes[:MOST_CAUSES]
    most = survey.causes[0].jobs
    columns: list[Column] = [
        ("jobs", "", "right"), ("share", "red", "left"), ("cause", "", "left"), ("", "", "left"),
        ("4 weeks", "", "right"), ("GPU h", "", "right"), ("last", "", "left"),
    ]  # fmt: skip
    cells = [
        [
            str(one.jobs), "█" * max(1, round(BAR * one.jobs / most)) if look.unicode else "",
            one.cause or UNKNOWN, one.title if one.cause else "", trend(one), gpu_hours(one.gpu_hours_lost),
            (one.last or "")[:10],
        ]
        for one in shown
    ]  # fmt: skip
    if look.width < WIDTH_FOR_TITLES:
        columns, cells = _without(3, columns, cells)
    if look.width < WIDTH_FOR_BARS:
        columns, cells = _without(1, columns, cells)
    if look.width < WIDTH_FOR_DATES:
        columns, cells = _without(len(columns) - 1, columns, cells)
    return ["Causes\n" + _table(columns, cells, look) + _more(len(survey.causes) - len(shown))]


def _without(column: int, columns: list[Column], cells: list[list[str]]) -> tuple[list[Column], list[list[str]]]:
    """Return a table without `column`."""
    return columns[:column] + columns[column + 1 :], [row[:column] + row[column + 1 :] for row in cells]


def _offenders(survey: Survey, look: Look) -> list[str]:
    if not survey.offenders:
        return []
    kinds = dict.fromkeys(one.kind for one in survey.offenders)
    most = {kind: MOST_OFFENDERS if kind == "node" else FEWER_OFFENDERS for kind in kinds}
    first = [one for kind in kinds for one in [o for o in survey.offenders if o.kind == kind][: most[kind]]]
    shown = survey.offenders if look.verbose else first
    columns: list[Column] = [
        ("jobs", "", "right"), ("at fault", "", "left"), ("causes", "", "left"), ("GPU h", "", "right"),
        ("first", "", "left"), ("last", "", "left"),
    ]  # fmt: skip
    cells = [
        [
            f"{o.jobs} of {o.ran}" if o.ran else str(o.jobs), at_fault(o), _counts(o.causes),
            gpu_hours(o.gpu_hours_lost), (o.first or "")[:10], (o.last or "")[:10],
        ]
        for o in shown
    ]  # fmt: skip
    return ["Repeat offenders\n" + _table(columns, cells, look) + _more(len(survey.offenders) - len(shown))]


def trend(one: CauseCount) -> str:
    """Return how often a cause occurred in the previous four weeks → in the last four; empty if unknown."""
    return "" if one.recent is None or one.before is None else f"{one.before} → {one.recent}"


def at_fault(one: Offender) -> str:
    """Return the name of a node, GPU or image, with its kind unless the name shows it."""
    return one.name if one.kind == "node" or "GPU" in one.name else f"{one.kind} {one.name}"


def _weeks(survey: Survey, look: Look) -> list[str]:
    if len(survey.weeks) < 2:
        return []
    shown = survey.weeks if look.verbose else survey.weeks[-MOST_WEEKS:]
    most = max(week.jobs for week in shown)
    columns: list[Column] = [
        ("week", "", "left"), ("jobs", "", "right"), ("failed", "", "right"), ("share", "red", "left"),
        ("causes", "", "left"),
    ]  # fmt: skip
    cells = [
        [
            w.week,
            str(w.jobs),
            str(w.failed),
            "█" * round(BAR * w.failed / most) if look.unicode else "",
            _counts(w.causes),
        ]
        for w in shown
    ]
    return ["Weeks\n" + _table(columns, cells, look) + _more(len(survey.weeks) - len(shown))]


def gpu_hours(value: float | None) -> str:
    """Return GPU hours that are worth showing; empty otherwise."""
    return f"{value:,.1f}" if value and value >= LEAST_GPU_HOURS else ""


def _counts(causes: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{cause} {count}" for cause, count in causes[:3])


def _more(count: int) -> str:
    return f"\n({count:,} more: -v)" if count > 0 else ""


def common_folder(rows: Sequence[JobRow]) -> str:
    """Return the folder that contains all jobs, with a trailing slash; empty if there is none."""
    folders = [os.path.dirname(row.job) for row in rows]
    if not all(folders):
        return ""  # a pasted text has none
    folder = os.path.commonprefix([f"{one}/" for one in folders])  # noqa: RUF071 - cut below
    return folder[: folder.rfind("/") + 1] if len(rows) > 1 else ""


def _table(columns: Sequence[Column], rows: Sequence[Sequence[str]], look: Look) -> str:
    """Return a table without its empty columns; on a narrow terminal, long cells end in an ellipsis."""
    filled = [any(row[column] for row in rows) or not rows for column in range(len(columns))]
    cells = [[Text(one_line(cell)) for cell in compress(row, filled)] for row in rows]
    return printed(look, table_of(compress(columns, filled), cells, WRAPPED)).rstrip("\n")
