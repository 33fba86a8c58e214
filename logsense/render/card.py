"""Render a report as an HTML fragment for the output of a notebook cell, in the notebook's light or dark theme."""

from __future__ import annotations

from html import escape

from logsense.model.report import Report
from logsense.render.clean import clean
from logsense.render.html import Dress, html_of
from logsense.render.whole import card_blocks

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
    edge = f"border-left:4px solid {_GOOD if good else _BAD}"
    return (
        f'<div class="logsense" role="note" aria-label="logsense" style="{edge};'
        f'padding:.2em 1em;margin:.5em 0;max-width:60em;line-height:1.45;text-align:left">'
        f"{html_of(card_blocks(report), Dress('h4', 'h5', _preformatted))}</div>"
    )


def _preformatted(text: str, kind: str) -> str:
    """Return `text` with its own style, since a notebook has none for it, and a copy button for a command."""
    button = (
        f'<button type="button" onclick="{escape(_COPY)}" style="{_BUTTON}" '
        'aria-label="copy this command">copy</button>'
        if kind == "run"
        else ""
    )
    return f"<div style='overflow:hidden'>{button}<pre style='{_PRE}'>{escape(clean(text))}</pre></div>"
