"""Render a report as HTML: one self-contained page without fonts, or the card of a notebook.

Neither has URLs except references.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from html import escape
from typing import NamedTuple

from logsense.model.report import Report
from logsense.render import blocks
from logsense.render.clean import clean, one_line
from logsense.render.plot import picture, summary
from logsense.render.screen import main_proof
from logsense.render.timeline import STYLE, timeline
from logsense.render.whole import card_blocks, whole_blocks
from logsense.render.words import inputs_in_words, time_in_words


class Markup(NamedTuple):
    """How blocks look: the tags of a title and of a heading, and what writes a preformatted text of a kind.

    The kinds are "" (log text), "run" (a command that can be copied) and "grave" (one that should be read first).
    """

    title: str
    heading: str
    preformatted: Callable[[str, str], str]


_STYLE = """
:root{color-scheme:light dark;--dim:#667;--rule:#ccd;--bad:#b3261e;--code:#f3f4f8}
@media(prefers-color-scheme:dark){:root{--dim:#99a;--rule:#445;--bad:#ff7b72;--code:#1d2029}}
body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;line-height:1.25;border-left:.3rem solid var(--bad);padding-left:.8rem}
h2{font-size:1.05rem;margin-top:2rem}
pre{background:var(--code);padding:.6rem .8rem;border-radius:.3rem;overflow-x:auto;
white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}
figure{margin:1rem 0}svg{display:block;width:100%;max-width:40rem;color:var(--bad)}
h1.good,h1.plain{border-color:var(--rule)}
.step,.proof{margin:.7rem 0}
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
    """Return `report` as the body of a page: what was read, and when it failed, then its blocks."""
    proof = main_proof(report.diagnoses[0]) if report.diagnoses else None
    when = f" · failed at {time_in_words(proof.time)}" if proof and proof.time else ""
    read = f"<p class=dim>{escaped(inputs_in_words(report) + when)}</p>" if report.outcome == "failed" else ""
    return f"{read}\n{html_of(whole_blocks(report), PAGE)}"


def html_of(parts: Iterable[object], markup: Markup) -> str:
    """Return the blocks `parts` as HTML."""
    return "\n".join(_html(one, markup) for one in parts)


def _html(one: object, markup: Markup) -> str:
    match one:
        case blocks.Headline():
            return _headline(one, markup)
        case blocks.Heading():
            return f"<{markup.heading}>{escaped(one.text)}</{markup.heading}>"
        case blocks.Paragraph():
            return f"<p{' class=dim' if one.faint else ''}>{_bold(one.label)}{escaped(one.text)}</p>"
        case blocks.Proof():
            return _proof(one, markup)
        case blocks.Step():
            return f"<div class=step>{_step(one, markup)}</div>"
        case blocks.Rival():
            return _rival(one, markup)
        case blocks.Rows() | blocks.Facts() | blocks.RankTable():
            return table([(label, text) for label, text, *_ in one.rows])
        case blocks.Plot():
            words = f"{escaped(one.series.title)} <small>{escaped(summary(one.series))}</small>"
            return f"<figure><figcaption>{words}</figcaption>{picture(one.series)}</figure>"
        case blocks.Bar():
            return f"<p>{escaped(one.name)} {escaped(one.blocks)} <small>{escaped(one.words)}</small></p>"
        case blocks.Timeline():
            return timeline(one.rows)
        case blocks.Command():
            return f"<p class=dim>{escaped(one.says)} <code>{escaped(one.run)}</code></p>"
        case blocks.Link():
            return f"<p>{_link(one.address)}</p>"
        case blocks.Folded():
            return f"<details><summary>{escaped(one.title)}</summary>{html_of(one.blocks, markup)}</details>"
    raise TypeError(type(one).__name__)


def _headline(one: blocks.Headline, markup: Markup) -> str:
    sure = f" <small>{escaped(one.sure)}</small>" if one.kind in ("good", "plain") else ""
    status = " · ".join(part for part in ("" if sure else one.sure, one.status) if part)
    cause = f" <small>{escaped(one.cause)}</small>" if one.cause else ""
    below = f"<p><b>{escaped(status)}</b>{cause}</p>" if status or cause else ""
    mark = "? " if one.kind == "guess" else ""
    return f"<{markup.title} class={one.kind}>{mark}{escaped(one.title)}{sure}</{markup.title}>{below}"


def _proof(one: blocks.Proof, markup: Markup) -> str:
    place = "  ".join(part for part in (one.where, one.frame) if part)
    where = f"<small>{escaped(place)}</small>" if place else ""
    says = f"{escaped(one.says)} " if one.says else ""
    bullet = "• " if says else ""
    quoted = markup.preformatted(one.text, "") if one.text is not None else ""
    return f"<div class=proof>{bullet}{says}{where}{quoted}</div>"


def _step(one: blocks.Step, markup: Markup) -> str:
    risk = f" <i>({escaped(one.risk)})</i>" if one.risk else ""
    why = f" <span class=dim>{escaped(one.why)}</span>" if one.why else ""
    run = markup.preformatted(one.run, "grave" if one.grave else "run") if one.run else ""
    return f"{_bold(one.label)}{escaped(one.do)}{risk}{why}{run}"


def _rival(one: blocks.Rival, markup: Markup) -> str:
    check = f"<br>{_step(one.check, markup)}" if one.check else ""
    why = f"<br><span class=dim>{escaped(one.explanation)}</span>" if one.explanation else ""
    return f"<div class=step><b>{one.percent}</b> {escaped(one.title)}{why}{check}</div>"


def _bold(label: str) -> str:
    return f"<b>{escaped(label)}</b> " if label else ""


def _link(address: str) -> str:
    shown = escaped(address)
    safe = one_line(address).startswith(("https://", "http://"))
    return f'<a href="{shown}" rel="noreferrer">{shown}</a>' if safe else shown


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


PAGE = Markup("h1", "h2", block)


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
        f"{html_of(card_blocks(report), Markup('h4', 'h5', _preformatted))}</div>"
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
