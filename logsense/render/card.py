"""A report as a small piece of HTML for the output of a notebook cell, light or dark as the notebook is."""

from __future__ import annotations

from html import escape

from logsense.render.clean import clean, one_line
from logsense.render.plot import picture, shown_series, summary
from logsense.render.words import (
    FEW_LINES,
    HARMLESS,
    MOST_HARMLESS,
    WITHOUT_GPU,
    certainty,
    ended_in_words,
    inputs_in_words,
    is_grave,
    rerun_in_words,
    risk_in_words,
    run_progress_in_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsense.model.report import Check, Diagnosis, Evidence, Fix, Report

MOST_PROOFS, MOST_FIXES = 3, 4
# Colours that hold on light and dark grounds; everything else is taken from the notebook.
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
    """`report` as a fragment without a page around it; all text in it is escaped, its only script copies commands."""
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
            yield f"<p>It may also be ({one.confidence:.0%}): {_text(one.title)}. {check}</p>"
        if report.rerun:
            yield f"<p>Run again: {_text(rerun_in_words(report.rerun))}</p>"
    elif report.outcome == "failed":
        yield "<p><b>The run failed, but this failure is not known here.</b></p>"
        yield _list("ul", [_proof(one) for one in report.unexplained[:MOST_PROOFS]])
    else:
        yield f"<p>{_text(ended_in_words(report))} <small>({_text(inputs_in_words(report))})</small></p>"
        if report.without_gpu:
            yield f"<p>{WITHOUT_GPU}:</p>"
            yield _list("ul", [_proof(one) for one in report.without_gpu])
        if report.noise and report.lines_read <= FEW_LINES:
            yield f"<p>{HARMLESS}:</p>"
            yield _list("ul", [_text(one.says) for one in report.noise[:MOST_HARMLESS]])


def _diagnosis(first: Diagnosis, report: Report) -> Iterator[str]:
    yield f"<p><b>{_text(first.title)}</b> <small>({_text(certainty(first.confidence))})</small></p>"
    course = run_progress_in_words(report)
    yield f"<p><small>{_text(course)}</small></p>" if course else ""
    yield f"<p>{_text(first.explanation)}</p>"
    yield _list("ul", [_proof(one) for one in first.evidence[:MOST_PROOFS]])
    for series in shown_series(report):
        yield f"<p><small>{_text(series.title)}: {_text(summary(series))}</small></p>{picture(series)}"
    yield _list("ol", [_fix(one) for one in first.fixes[:MOST_FIXES]])
    more = [*map(_fix, first.fixes[MOST_FIXES:])]
    if first.decide or more:
        checks = _list("ul", [_check(one) for one in first.decide])
        yield f"<details><summary>How to be sure{', more fixes' if more else ''}</summary>"
        yield f"{checks}{_list('ul', more)}</details>"


def _proof(one: Evidence) -> str:
    if one.text is None:
        return _text(one.says)
    return f"{_text(one.says)}<pre style='{_PRE}'>{escape(clean(one.text))}</pre>"


def _fix(fix: Fix) -> str:
    risk = risk_in_words(fix.risk)
    return (
        _text(fix.do)
        + (f" <small>({_text(risk)})</small>" if risk else "")
        + _command(fix.run, copy=not is_grave(fix.risk))
    )


def _check(check: Check) -> str:
    return _text(check.do) + _command(check.run)


def _command(text: str | None, *, copy: bool = True) -> str:
    if not text:
        return ""
    button = copy and (
        f'<button type="button" onclick="{escape(_COPY)}" style="{_BUTTON}" '
        'aria-label="copy this command">copy</button>'
    )
    return f"<div style='overflow:hidden'>{button or ''}<pre style='{_PRE}'>{escape(clean(text))}</pre></div>"


def _list(tag: str, items: list[str]) -> str:
    return f"<{tag}>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>" if items else ""


def _text(text: str) -> str:
    return escape(one_line(text))
