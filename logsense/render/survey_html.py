"""A survey as one HTML page that needs nothing else, light or dark as the reader has it."""

from __future__ import annotations

from html import escape

from logsense.render.clean import one_line
from logsense.render.html import page
from logsense.render.survey_text import LEAST_GPU_HOURS, at_fault, folder_of, headline, lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logsense.model.survey import JobRow, Survey, Week

WIDTH, HEIGHT, GAP = 640, 120, 2  # of the picture of the weeks, in pixels
_STYLE = """
body{max-width:80rem}table{border-collapse:collapse;width:100%;display:block;overflow-x:auto}
th{text-align:left;color:var(--dim);font-weight:normal;border-bottom:1px solid var(--rule)}
td{border-bottom:1px solid var(--rule);overflow-wrap:anywhere}td.n,th.n{text-align:right;white-space:nowrap}
.k{white-space:nowrap}.bar{display:inline-block;height:.6rem;background:var(--bad);min-width:2px}
"""


def survey_html(survey: Survey) -> str:
    """`survey` as a page. All text is escaped; there are no scripts."""
    title = headline(survey)
    body = [f"<h1>{text(title)}</h1>"]
    if survey.causes:
        most = survey.causes[0].jobs
        body.append("<h2>Causes</h2>")
        body.append(
            _table(
                ("jobs", "", "cause", "", "GPU hours", "last"),
                (
                    (
                        _number(one.jobs), f'<span class=bar style="width:{8 * one.jobs / most:.2f}rem"></span>',
                        _kept(one.cause or "not known"), text(one.title if one.cause else ""),
                        _hours(one.gpu_hours_lost), _kept((one.last or "")[:10]),
                    )
                    for one in survey.causes
                ),
                right=(0, 4),
            )
        )  # fmt: skip
    if survey.offenders:
        body.append("<h2>Again and again</h2>")
        rows = (
            (_number(one.jobs), _kept(at_fault(one)), _counted(one.causes), _kept((one.last or "")[:10]))
            for one in survey.offenders
        )
        body.append(_table(("jobs", "at fault", "causes", "last"), rows, right=(0,)))
    if len(survey.weeks) > 1:
        body.append("<h2>Weeks</h2>" + _picture(survey.weeks))
        weeks = (
            (_kept(one.week), _number(one.jobs), _number(one.failed), _hours(one.gpu_hours_lost), _counted(one.causes))
            for one in reversed(survey.weeks)
        )
        table = _table(("week", "jobs", "failed", "GPU hours", "causes"), weeks, right=(1, 2, 3))
        body.append(f"<details><summary>As a table</summary>{table}</details>")
    folder = folder_of(survey.rows)
    body.append(f"<h2>Jobs{f' in {text(folder)}' if folder else ''}</h2>")
    body.append(
        _table(
            ("job", "cause", "sure", "rank", "node", "when", "lost", "proof"),
            (_job(row, folder) for row in survey.rows),
            right=(2, 3, 6),
        )
    )
    return page(title, "\n".join(body), _STYLE)


def _job(row: JobRow, folder: str) -> tuple[str, ...]:
    proof = text(row.problem or row.says or "")
    if row.text:
        place = f"{row.source}:{row.line}" if row.source and row.line is not None else ""
        proof = f"<details><summary>{proof}</summary><small>{text(place)}</small><br>{text(row.text)}</details>"
    return (
        text(row.job[len(folder) :]),
        _kept(row.cause or row.outcome),
        f"{row.confidence:.0%}" if row.confidence is not None else "",
        _number(row.rank),
        _kept(row.host or ""),
        _kept((row.failed_at or "")[:16].replace("T", " ")),
        text(lost(row)),
        proof,
    )


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: tuple[int, ...]) -> str:
    def marked(tag: str, cells: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=n' if number in right else ''}>{cell}</{tag}>" for number, cell in enumerate(cells)
        )

    body = "\n".join(f"<tr>{marked('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{marked('th', titles)}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _picture(weeks: Sequence[Week]) -> str:
    """The weeks as bars: all jobs faint, failed ones strong."""
    most = max(week.jobs for week in weeks)
    step = WIDTH / len(weeks)
    bars = []
    for number, week in enumerate(weeks):
        x, width = number * step, max(step - GAP, 1)
        for count, look in ((week.jobs, ' opacity="0.25"'), (week.failed, "")):
            height = HEIGHT * count / most
            bars.append(
                f'<rect x="{x:.1f}" y="{HEIGHT - height:.1f}" width="{width:.1f}" height="{height:.1f}"{look}>'
                f"<title>{week.week}: {week.failed} of {week.jobs} failed</title></rect>"
            )
    label = f"Failed jobs a week, {weeks[0].week} to {weeks[-1].week}"
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}" fill="currentColor">'
        f"{''.join(bars)}</svg><figcaption class=dim>{label}</figcaption></figure>"
    )


def _counted(causes: Sequence[tuple[str, int]]) -> str:
    return text(", ".join(f"{cause} {count}" for cause, count in causes[:4]))


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _hours(value: float | None) -> str:
    return f"{value:,.1f}" if value and value >= LEAST_GPU_HOURS else ""


def _kept(value: str) -> str:
    """A cell that is not broken into lines."""
    return f"<span class=k>{text(value)}</span>"


def text(value: str) -> str:
    """`value` as text on one line of a page."""
    return escape(one_line(value))
