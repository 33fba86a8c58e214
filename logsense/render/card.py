"""Render a report as an HTML fragment for the output of a notebook cell, in the notebook's light or dark theme."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from logsense.model.report import Check, Diagnosis, Evidence, Fix, Report
from logsense.render.clean import clean
from logsense.render.html import escaped, html_list
from logsense.render.plot import picture, shown_series, summary
from logsense.render.words import (
    FEW_LINES,
    HARMLESS,
    MOST_HARMLESS,
    UNKNOWN_FAILURE,
    WITHOUT_GPU,
    certainty,
    ended_in_words,
    inputs_in_words,
    is_grave,
    rerun_in_words,
    risk_in_words,
    run_progress_in_words,
)

MOST_PROOFS, MOST_FIXES = 3, 4
# Colors that are readable on light and dark backgrounds; all others come from the notebook.
_BAD, _GOOD = "#d1495b", "#3a9d5d"
_PRE = (
    "margin:.3em 0;padding:.4em .6em;background:rgba(127,127,127,.13);border-radius:4px;"
    "white-space:pre-wrap;overflow-wrap:anywhere;font-size:.92em;color:inherit"
)
_BUTTON = (
    "float:right;margin:.5em 0 0 .5em;padding:.15em .6em;font-size:.8em;cursor:pointer;background:transparent;"
    "color:inherit;border:1px solid rgba(127,127,127,.45);border-radius:4px"
)
_COPY = (
    "navigator.clipboard.writeText(this.nextElementSibling.innerText);"
    "this.textContent='copied';setTimeout(()=>this.textContent='copy',1500)"
)


def render_card(report: Report) -> str:
    """Return `report` as an HTML fragment. All text is escaped; its only scripts copy commands."""
    good = report.outcome == "completed" or not (report.diagnoses or report.outcome == "failed")
    body = "".join(_body(report))
    edge = f"border-left:4px solid {_GOOD if good else _BAD}"
    return (
        f'<div class="logsense" role="note" aria-label="logsense" style="{edge};'
        f'padding:.2em 1em;margin:.5em 0;max-width:60em;line-height:1.45;text-align:left">{body}</div>'
    )


def _body(report: Report) -> Iterator[str]:
    if report.diagnoses:
        yield from _diagnosis(report.diagnoses[0], report)
        others = [one for one in report.diagnoses[1:] if one.confidence >= report.diagnoses[0].confidence / 4]
        for one in others:
            check = _check(one.decide[0]) if one.decide else ""
            yield f"<p>It may also be ({one.confidence:.0%}): {escaped(one.title)}. {check}</p>"
        if report.rerun:
            yield f"<p>Run again: {escaped(rerun_in_words(report.rerun))}</p>"
    elif report.outcome == "failed":
        yield f"<p><b>{UNKNOWN_FAILURE}</b></p>"
        yield html_list("ul", [_proof(one) for one in report.unexplained[:MOST_PROOFS]])
    else:
        yield f"<p>{escaped(ended_in_words(report))} <small>({escaped(inputs_in_words(report))})</small></p>"
        if report.without_gpu:
            yield f"<p>{WITHOUT_GPU}:</p>"
            yield html_list("ul", [_proof(one) for one in report.without_gpu])
        if report.noise and report.lines_read <= FEW_LINES:
            yield f"<p>{HARMLESS}:</p>"
            yield html_list("ul", [escaped(one.says) for one in report.noise[:MOST_HARMLESS]])


def _diagnosis(first: Diagnosis, report: Report) -> Iterator[str]:
    yield f"<p><b>{escaped(first.title)}</b> <small>({escaped(certainty(first.confidence))})</small></p>"
    progress = run_progress_in_words(report)
    yield f"<p><small>{escaped(progress)}</small></p>" if progress else ""
    yield f"<p>{escaped(first.explanation)}</p>"
    yield html_list("ul", [_proof(one) for one in first.evidence[:MOST_PROOFS]])
    for series in shown_series(report):
        yield f"<p><small>{escaped(series.title)}: {escaped(summary(series))}</small></p>{picture(series)}"
    yield html_list("ol", [_fix(one) for one in first.fixes[:MOST_FIXES]])
    more = [*map(_fix, first.fixes[MOST_FIXES:])]
    if first.decide or more:
        checks = html_list("ul", [_check(one) for one in first.decide])
        yield f"<details><summary>How to be sure{', more fixes' if more else ''}</summary>"
        yield f"{checks}{html_list('ul', more)}</details>"


def _proof(one: Evidence) -> str:
    if one.text is None:
        return escaped(one.says)
    return f"{escaped(one.says)}<pre style='{_PRE}'>{escape(clean(one.text))}</pre>"


def _fix(fix: Fix) -> str:
    risk = risk_in_words(fix.risk)
    return (
        escaped(fix.do)
        + (f" <small>({escaped(risk)})</small>" if risk else "")
        + _command(fix.run, copy=not is_grave(fix.risk))
    )


def _check(check: Check) -> str:
    return escaped(check.do) + _command(check.run)


def _command(text: str | None, *, copy: bool = True) -> str:
    if not text:
        return ""
    button = copy and (
        f'<button type="button" onclick="{escape(_COPY)}" style="{_BUTTON}" '
        'aria-label="copy this command">copy</button>'
    )
    return f"<div style='overflow:hidden'>{button or ''}<pre style='{_PRE}'>{escape(clean(text))}</pre></div>"
