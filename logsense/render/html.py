"""Render a report as one self-contained HTML page: no fonts, and no URLs except references."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from logsense.model.report import Check, Diagnosis, Evidence, Fix, Report
from logsense.render.clean import clean, one_line
from logsense.render.plot import picture, shown_series, summary
from logsense.render.timeline import STYLE, timeline
from logsense.render.words import (
    ATTEMPTS,
    HARMLESS,
    NEW,
    NOTHING_NEW,
    UNKNOWN_FAILURE,
    WITHOUT_GPU,
    attempts_in_words,
    certainty,
    chain_in_words,
    ended_in_words,
    inputs_in_words,
    is_grave,
    logs_in_words,
    masks_in_words,
    rerun_in_words,
    risk_in_words,
    run_progress_in_words,
)

_STYLE = """
:root{color-scheme:light dark;--dim:#667;--rule:#ccd;--bad:#b3261e;--code:#f3f4f8}
@media(prefers-color-scheme:dark){:root{--dim:#99a;--rule:#445;--bad:#ff7b72;--code:#1d2029}}
body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;line-height:1.25;border-left:.3rem solid var(--bad);padding-left:.8rem}
h2{font-size:1.05rem;margin-top:2rem}
pre{background:var(--code);padding:.6rem .8rem;border-radius:.3rem;overflow-x:auto;
white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}
figure{margin:1rem 0}svg{display:block;width:100%;max-width:40rem;color:var(--bad)}
small,.dim{color:var(--dim)}li{margin:.5rem 0}td,th{padding:.15rem .9rem .15rem 0;vertical-align:top}
td.dim{white-space:nowrap}
pre.run{position:relative;padding-right:4.5rem;min-height:1.5em}
button.copy{position:absolute;top:.4rem;right:.4rem;font:.8rem system-ui,sans-serif;user-select:none}
"""
# Adds a copy button to each command. No log text ever gets in here.
_SCRIPT = """
for(const command of document.querySelectorAll("pre.run")){const button=document.createElement("button");
button.className="copy";button.type="button";button.textContent="copy";
button.setAttribute("aria-label","copy this command");
const text=command.textContent;
button.onclick=()=>navigator.clipboard.writeText(text).then(()=>{button.textContent="copied"});
command.append(button)}
"""


def render_html(report: Report) -> str:
    """Return `report` as a page that follows the reader's light or dark theme. All text is escaped."""
    return page(one_line(report.diagnoses[0].title) if report.diagnoses else "logsense", render_body(report))


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """Return a page around `body`, which is HTML already; `style` and `script` are added to the common ones."""
    # Defense in depth: even if markup got through, it could load nothing and run no script but this one.
    script = _SCRIPT + script
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none';style-src 'unsafe-inline';script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escaped(title)}</title><style>{_STYLE}{STYLE}{style}</style></head>\n"
        f"<body>\n{body}\n<script>{script}</script></body></html>\n"
    )


def render_body(report: Report) -> str:
    """Return `report` as the body of a page."""
    return "\n".join(_body(report))


def _body(report: Report) -> Iterator[str]:
    if report.diagnoses:
        yield from _diagnosis(report.diagnoses[0], run_progress_in_words(report))
        yield from _plots(report)
        yield from _others(report.diagnoses[1:])
        yield from _afterwards(report)
        yield timeline(report)
    elif report.outcome == "failed":
        yield f"<h1>{UNKNOWN_FAILURE}</h1>"
        if progress := run_progress_in_words(report):
            yield f"<p class=dim>{escaped(progress)}</p>"
        yield from _plots(report)
        yield html_list("ul", [_proof(one) for one in report.unexplained])
        if report.near:
            yield "<h2>The nearest known messages</h2>"
            yield html_list(
                "ul",
                [f"{escaped(o.title)} <small>{escaped(o.signature)}, {o.distance:.2f}</small>" for o in report.near],
            )
    else:
        yield f"<h1>{escaped(ended_in_words(report))}</h1><p>{escaped(inputs_in_words(report))}</p>"
        if report.without_gpu:
            yield f"<h2>{WITHOUT_GPU}</h2>" + html_list("ul", [_proof(one) for one in report.without_gpu])
    yield from _new(report)
    yield from _details(report)
    if report.masked is not None:
        yield f"<p class=dim>Hidden here: {escaped(masks_in_words(report.masked) or 'nothing')}</p>"


def _new(report: Report) -> Iterator[str]:
    if report.new is None:
        return
    yield f"<h2>{NEW if report.new else NOTHING_NEW}</h2>"
    yield html_list(
        "ul", [f"<small>{escaped(f'{one.source}:{one.line}')}</small>{block(one.text)}" for one in report.new]
    )


def _diagnosis(first: Diagnosis, progress: str) -> Iterator[str]:
    yield f"<h1>{escaped(first.title)}</h1>"
    yield f"<p><b>{escaped(certainty(first.confidence))}</b> <small>{escaped(first.cause)}</small></p>"
    if progress:
        yield f"<p class=dim>{escaped(progress)}</p>"
    yield f"<p>{escaped(first.explanation)}</p>"
    yield _proofs(first.evidence)
    if first.against:
        yield "<h2>Evidence against it</h2>" + _proofs(first.against)
    if first.fixes:
        yield "<h2>What to do</h2>" + html_list("ol", [_fix(fix) for fix in first.fixes])
    if first.decide:
        yield "<h2>How to be sure</h2>" + html_list("ul", [_check(check) for check in first.decide])


def _plots(report: Report) -> Iterator[str]:
    for series in shown_series(report, everything=not report.diagnoses):
        yield f"<figure><figcaption>{escaped(series.title)} <small>{escaped(summary(series))}</small></figcaption>"
        yield f"{picture(series)}</figure>"


def _others(others: tuple[Diagnosis, ...]) -> Iterator[str]:
    if others:
        items = [
            f"{one.confidence:.0%} {escaped(one.title)}" + "".join(map(_check_after, one.decide[:1])) for one in others
        ]
        yield "<h2>It may also be</h2>" + html_list("ul", items)


def _check_after(check: Check) -> str:
    return f"<br>{_check(check)}"


def _afterwards(report: Report) -> Iterator[str]:
    rows = []
    for one in report.culprits:
        rank = f"rank {one.rank} " if one.rank is not None else ""
        rows.append(("Where", f"{rank}{one.host or ''} {one.source}:{one.line}"))
    if report.logs:
        rows.append(("Logs", logs_in_words(report.logs)))
    if report.attempts:
        rows.append((ATTEMPTS[report.attempts[0].what], attempts_in_words(report)))
    if report.rerun:
        rows.append(("Run again", rerun_in_words(report.rerun)))
    for number, (who, message) in enumerate(chain_in_words(report)):
        rows.append(("After it" if number == 0 else "", f"→ {who}: {message}" if who else f"→ {message}"))
    if rows:
        yield table(rows)


def _details(report: Report) -> Iterator[str]:
    parts = []
    if report.facts:
        parts.append(table([(name, fact.shown or str(fact.value)) for name, fact in report.facts.items()]))
    if report.noise:
        parts.append(f"<p>{HARMLESS}:</p>" + html_list("ul", [escaped(one.says) for one in report.noise]))
    if report.diagnoses and report.diagnoses[0].references:
        parts.append(html_list("ul", [_link(address) for address in report.diagnoses[0].references]))
    if parts:
        yield f"<details><summary>Facts and references</summary>{''.join(parts)}</details>"


def _proofs(proofs: tuple[Evidence, ...]) -> str:
    """Return the evidence as a list. A line that proves several things is quoted once."""
    items = []
    quoted: set[tuple[str | None, int | None]] = set()
    for one in proofs:
        place = (one.source, one.line)
        items.append(escaped(one.says) if one.text is not None and place in quoted else _proof(one))
        quoted.add(place)
    return html_list("ul", items)


def _proof(one: Evidence) -> str:
    if one.text is None:
        read = f" <small>{escaped(one.source)}</small>" if one.source and one.line is None else ""
        return escaped(one.says) + read
    rank = f", rank {one.rank}" if one.rank is not None else ""
    return f"{escaped(one.says)} <small>{escaped(f'{one.source}:{one.line}')}{rank}</small>{block(one.text)}"


def _fix(fix: Fix) -> str:
    risk = risk_in_words(fix.risk)
    kind = "grave" if is_grave(fix.risk) else "run"
    why = f" <span class=dim>{escaped(fix.why)}</span>" if fix.why else ""
    return (
        escaped(fix.do)
        + (f" <i>({escaped(risk)})</i>" if risk else "")
        + why
        + (block(fix.run, kind) if fix.run else "")
    )


def _check(check: Check) -> str:
    return escaped(check.do) + (block(check.run, "run") if check.run else "")


def _link(address: str) -> str:
    shown = escaped(address)
    safe = one_line(address).startswith(("https://", "http://"))
    return f'<a href="{shown}" rel="noreferrer">{shown}</a>' if safe else shown


def html_list(tag: str, items: list[str]) -> str:
    """Return `items`, which are HTML already, as a list; empty without items. `tag` is "ul" or "ol"."""
    return f"<{tag}>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>" if items else ""


def table(rows: list[tuple[str, str]]) -> str:
    """Return a table of names and values."""
    return (
        "<table>"
        + "".join(f"<tr><td class=dim>{escaped(a)}</td><td>{escaped(b)}</td></tr>" for a, b in rows)
        + "</table>"
    )


def block(text: str, kind: str = "") -> str:
    """Return `text` preformatted. The kind "run" is a command with a copy button."""
    return f"<pre{f' class={kind}' if kind else ''}>{escape(clean(text))}</pre>"


def escaped(text: str) -> str:
    """Return `text` on one line, escaped."""
    return escape(one_line(text))
