"""Render a survey as one self-contained HTML page, in the reader's light or dark theme, readable on a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from logsense.model.rule import UNKNOWN
from logsense.model.survey import JobRow, Survey
from logsense.render.html import escaped, page
from logsense.render.survey.chart import sparkline, weeks_chart
from logsense.render.survey.text import at_fault, common_folder, gpu_hours, headline, lost, trend
from logsense.render.words import percent_in_words

MOST_JOBS = 5000  # more would make the page slow
_STYLE = """
body{max-width:80rem}table{border-collapse:collapse;width:100%}
th{text-align:left;color:var(--dim);font-weight:normal;border-bottom:1px solid var(--rule)}
td{border-bottom:1px solid var(--rule);overflow-wrap:anywhere}th,td.n{white-space:nowrap}td.n,th.n{text-align:right}
.k{white-space:nowrap}.spark{display:inline-block;width:auto;color:var(--bad)}
figure svg{max-width:none;color:inherit}figcaption{color:var(--dim);font-size:.85rem;margin-top:.3rem}
.key{margin-right:1.2rem;white-space:nowrap}
.key i{display:inline-block;width:.7rem;height:.7rem;margin-right:.4rem;vertical-align:-.05rem}
.tiles{display:flex;flex-wrap:wrap;gap:.8rem;margin:1rem 0;padding:0;list-style:none}
.tiles li{border:1px solid var(--rule);border-radius:.4rem;padding:.5rem .9rem;margin:0;min-width:7rem}
.tiles b{display:block;font-size:1.4rem;line-height:1.3;font-variant-numeric:tabular-nums}
input.find{font:inherit;width:100%;max-width:24rem;box-sizing:border-box;padding:.35rem .6rem;margin:.2rem 0 .6rem}
summary{cursor:pointer}
@media(max-width:48rem){thead{display:none}.k{white-space:normal}figure svg text{font-size:26px}
tr{display:flex;flex-wrap:wrap;gap:0 1rem;border-bottom:1px solid var(--rule);padding:.5rem 0}
tr[hidden],td:empty{display:none}td,td.n{display:block;border:0;padding:0;text-align:left;white-space:normal}
td.h{order:-1;flex-basis:100%;font-weight:600}td.w{flex-basis:100%}
td[data-l]::before{content:attr(data-l) " ";color:var(--dim)}}
"""
# A search field for the jobs that contain all its words. No log text ever gets in here.
_SCRIPT = """
const jobs=document.querySelector("#jobs table");if(jobs){const field=document.createElement("input");
field.type="search";field.className="find";field.placeholder="find jobs: cause, node, image";
field.setAttribute("aria-label","find jobs");const rows=[...jobs.tBodies[0].rows];
const find=()=>{const words=field.value.toLowerCase().split(/\\s+/);
for(const row of rows){const held=row.textContent.toLowerCase();row.hidden=!words.every(word=>held.includes(word))}};
field.oninput=find;jobs.before(field)}
"""


def survey_html(survey: Survey) -> str:
    """Return `survey` as a page. All text is escaped. Its script only searches the jobs."""
    title = headline(survey)
    jobs = len(survey.rows)
    body = [f"<h1>{jobs:,} job{'' if jobs == 1 else 's'}</h1>", _tiles(survey)]
    if len(survey.weeks) > 1:
        body += ["<h2>Weeks</h2>", weeks_chart(survey.weeks), _weeks(survey)]
    if survey.causes:
        body += ["<h2>Causes</h2>", _causes(survey)]
    if survey.offenders:
        body += ["<h2>Repeat offenders</h2>", _offenders(survey)]
    folder = common_folder(survey.rows)
    shown = sorted(survey.rows, key=lambda row: row.failed_at or "", reverse=True)
    shown.sort(key=lambda row: row.outcome in ("completed", "running"))
    more = len(shown) - MOST_JOBS
    rows = (_job(row, folder) for row in shown[:MOST_JOBS])
    names = ("job", "cause", "sure", "rank", "node", "when", "lost", "proof")
    body += [f"<h2>Jobs{f' in {escaped(folder)}' if folder else ''}</h2>"]
    body += [f"<div id=jobs>{_table(names, rows, right=(2, 3, 6), wide=(7,))}</div>"]
    body += [f"<p class=dim>{more:,} more: --format csv</p>"] if more > 0 else []
    return page(title, "\n".join(body), _STYLE, _SCRIPT)


def _tiles(survey: Survey) -> str:
    counts = Counter(row.outcome for row in survey.rows)
    unknown = sum(1 for row in survey.rows if row.outcome == "failed" and not row.cause)
    ended = counts["failed"] + counts["completed"]
    share = f" ({round(100 * counts['failed'] / ended)} % of what ended)" if ended else ""
    tiles = [(f"{counts['failed']:,}", f"failed{share}"), (f"{counts['completed']:,}", "completed")]
    hours = f"GPU hours lost (known for {survey.gpu_hours_from:,} jobs)"
    tiles += [(f"{survey.gpu_hours_lost:,.0f}", hours)] if survey.gpu_hours_lost else []
    tiles += [(f"{unknown:,}", "failed, cause unknown")] if unknown else []
    others = {"running": "still going", "unknown": "without a failure or an end", "unreadable": "unreadable"}
    tiles += [(f"{counts[name]:,}", words) for name, words in others.items() if counts[name]]
    return f"<ul class=tiles>{''.join(f'<li><b>{number}</b>{label}</li>' for number, label in tiles)}</ul>"


def _causes(survey: Survey) -> str:
    rows = (
        (
            _number(one.jobs), f"{round(100 * one.share)} %",
            sparkline(one.cause or UNKNOWN, survey.weeks) if len(survey.weeks) > 1 else "", escaped(trend(one)),
            _unbroken(one.cause or UNKNOWN), escaped(one.title if one.cause else ""),
            gpu_hours(one.gpu_hours_lost), _unbroken((one.last or "")[:10]),
        )
        for one in survey.causes
    )  # fmt: skip
    names = ("jobs", "share", "weeks", "4 weeks", "cause", "", "GPU hours", "last")
    return _table(names, rows, right=(0, 1, 6), head=4, wide=(5,))


def _offenders(survey: Survey) -> str:
    rows = (
        (
            _number(one.jobs) + (f" of {one.ran:,}" if one.ran else ""), escaped(at_fault(one)), _counts(one.causes),
            gpu_hours(one.gpu_hours_lost), _unbroken((one.first or "")[:10]), _unbroken((one.last or "")[:10]),
        )
        for one in survey.offenders
    )  # fmt: skip
    return _table(("jobs", "at fault", "causes", "GPU hours", "first", "last"), rows, right=(0, 3), head=1, wide=(2,))


def _weeks(survey: Survey) -> str:
    rows = (
        (
            _unbroken(one.week),
            _number(one.jobs),
            _number(one.failed),
            gpu_hours(one.gpu_hours_lost),
            _counts(one.causes),
        )
        for one in reversed(survey.weeks)
    )
    table = _table(("week", "jobs", "failed", "GPU hours", "causes"), rows, right=(1, 2, 3), wide=(4,))
    return f"<details><summary>As a table</summary>{table}</details>"


def _job(row: JobRow, folder: str) -> tuple[str, ...]:
    proof = escaped(row.problem or row.says or "")
    if row.text:
        place = f"{row.source}:{row.line}" if row.source and row.line is not None else ""
        image = f"<br><small>{escaped(row.image)}</small>" if row.image else ""
        quoted = f"<small>{escaped(place)}</small><br>{escaped(row.text)}{image}"
        proof = f"<details><summary>{proof}</summary>{quoted}</details>"
    return (
        escaped(row.job[len(folder) :]),
        _unbroken(row.cause or row.outcome),
        percent_in_words(row.confidence) if row.confidence is not None else "",
        _number(row.rank),
        _where(row),
        _unbroken((row.failed_at or "")[:16].replace("T", " ")),
        escaped(lost(row)),
        proof,
    )


def _where(row: JobRow) -> str:
    """Return the node at fault, with the GPU if one is named."""
    gpu = (row.gpu or "").removeprefix(f"{row.host} ")
    return _unbroken(row.host or "") + (f" <small>{escaped(gpu)}</small>" if gpu else "")


def _table(
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: tuple[int, ...],
    head: int = 0,
    wide: tuple[int, ...] = (),
) -> str:
    """Return a table; on a narrow screen, each row becomes a card with `head` first and titles before the values.

    Column indices: `right` are right-aligned, `wide` get a line of their own on a narrow screen.
    """

    def cell(number: int, value: str) -> str:
        classes = [
            name for name, held in (("n", number in right), ("h", number == head), ("w", number in wide)) if held
        ]
        kind = f' class="{" ".join(classes)}"' if classes else ""
        label = f' data-l="{titles[number]}"' if titles[number] and value and number not in (head, *wide) else ""
        return f"<td{kind}{label}>{value}</td>"

    names = "".join(f"<th{' class=n' if n in right else ''}>{title}</th>" for n, title in enumerate(titles))
    body = "\n".join(f"<tr>{''.join(cell(number, value) for number, value in enumerate(row))}</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _counts(causes: Sequence[tuple[str, int]]) -> str:
    return escaped(", ".join(f"{cause} {count}" for cause, count in causes[:4]))


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _unbroken(value: str) -> str:
    """Return the text of a cell that is not wrapped."""
    return f"<span class=k>{escaped(value)}</span>" if value else ""
