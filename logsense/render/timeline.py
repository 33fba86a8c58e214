"""Draw the last minutes of a multi-rank job: a picture with a row per rank, and an equivalent table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from logsense.model.report import Mark, RankRow
from logsense.model.values import show_seconds
from logsense.render.clean import one_line
from logsense.render.rank_groups import groups_in_words, history_in_words

WIDTH = 1000  # units of the picture
ROW_HEIGHT = 16.0  # at most
PICTURE_HEIGHT = 480.0  # of all rows, at most
LEAST_BAND_HEIGHT = 4.0  # behind a rank at fault
MOST_GROUPS = 40
ZOOMS = (1, 4, 16)
# Horizontal positions if the log has no times: only the order is known.
_UNTIMED = {"progress": 0.55, "failure": 0.75, "consequence": 0.9, "last": 1.0}
STYLE = """
.ranks{overflow:auto;max-height:31rem;border:1px solid var(--rule);border-radius:.3rem;margin:.4rem 0}
.ranks svg{width:100%;max-width:none;display:block;color:inherit}th{text-align:left;font-weight:inherit}
.ranks .fault{fill:var(--bad);opacity:.16}.ranks .done{fill:currentColor;opacity:.28}
.ranks .failure{fill:var(--bad)}.ranks .consequence{fill:#c98a1b}.ranks text{fill:currentColor;font:11px system-ui}
.key span{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin:0 .3em 0 1em;vertical-align:-.05em}
input.zoom{margin:0 .2rem 0 1rem}
#z4:checked~.ranks svg{width:200%;height:calc(var(--high)*4)}
#z16:checked~.ranks svg{width:400%;height:calc(var(--high)*16)}
"""


def timeline(rows: Sequence[RankRow]) -> str:
    """Return the picture and the table as HTML without scripts."""
    times = [mark.at_s for row in rows for mark in row.marks if mark.at_s is not None]
    span_s = max(times, default=0.0)
    caption = f"from left to right: the last {show_seconds(span_s)}" if span_s else "in order"
    if not span_s:
        caption += ", all at the same time" if times else "; the logs have no timestamps"
    zooms = "".join(
        f"<input class=zoom type=radio name=zoom id=z{by}{' checked' if by == 1 else ''}><label for=z{by}>{by}×</label>"
        for by in ZOOMS
    )
    return (
        f"<h2>Rank by rank</h2><p class=key><small>{len(rows)} ranks, {caption}"
        '<span style="background:currentColor;opacity:.28"></span>training'
        '<span style="background:var(--bad)"></span>failure'
        '<span style="background:#c98a1b"></span>consequence</small></p>'
        f'<section>{zooms}<div class=ranks tabindex=0 role=img aria-label="Timeline; the table below says the same">'
        f"{_picture(rows, span_s)}</div></section>{_table(rows)}"
    )


def _picture(rows: Sequence[RankRow], span_s: float) -> str:
    height = min(ROW_HEIGHT, PICTURE_HEIGHT / len(rows))
    places = [(row, number * height) for number, row in enumerate(rows)]
    bands = "".join(_band(top, height) for row, top in places if row.at_fault)
    parts = "".join(_row(row, top, height, span_s) for row, top in places)
    high = len(rows) * height
    return (
        f'<svg viewBox="0 0 {WIDTH} {high:.1f}" preserveAspectRatio="none" aria-hidden="true" '
        f'style="--high:{high:.1f}px;height:var(--high)">{bands}{parts}</svg>'
    )


def _band(top: float, height: float) -> str:
    high = max(height, LEAST_BAND_HEIGHT)
    return f"<rect class=fault x=0 y={max(0.0, top - (high - height) / 2):.2f} width={WIDTH} height={high:.2f} />"


def _row(row: RankRow, top: float, height: float, span_s: float) -> str:
    title = f"<title>{escape(one_line(_line_of(row)))}</title>"
    thick = height * 0.7
    marks = ""
    for mark in row.marks:
        at = _x(mark, span_s)
        if mark.kind == "progress":
            marks += f"<rect class=done x=0 y={top + height * 0.15:.2f} width={max(at, 2):.1f} height={thick:.2f} />"
        elif mark.kind != "last":
            left = min(at, WIDTH - 5)
            marks += (
                f"<rect class={mark.kind} x={left:.1f} y={top + height * 0.1:.2f} width=5 height={height * 0.8:.2f} />"
            )
    name = f"<text x=4 y={top + height * 0.78:.1f}>{row.rank}</text>" if height >= ROW_HEIGHT - 4 else ""
    return f"<g>{title}{marks}{name}</g>"


def _x(mark: Mark, span_s: float) -> float:
    if not span_s or mark.at_s is None:
        return WIDTH * _UNTIMED.get(mark.kind, 1.0)
    return WIDTH * (0.05 + 0.93 * mark.at_s / span_s)


def _table(rows: Sequence[RankRow]) -> str:
    """Return the table; ranks that did the same share a line."""
    groups = groups_in_words(rows)
    lines = "".join(
        f"<tr><th scope=row>{'<b>at fault:</b> ' if at_fault else ''}{escape(one_line(who))}</th>"
        f"<td>{escape(one_line(said))}</td></tr>"
        for who, said, at_fault in groups[:MOST_GROUPS]
    )
    left = f"<p class=dim>{len(groups) - MOST_GROUPS} more groups</p>" if len(groups) > MOST_GROUPS else ""
    head = "<tr><th scope=col>Ranks</th><th scope=col>What they did last</th></tr>"
    return f"<table>{head}{lines}</table>{left}"


def _line_of(row: RankRow) -> str:
    return f"rank {row.rank}{f' on {row.host}' if row.host else ''}: {history_in_words(row)}"
