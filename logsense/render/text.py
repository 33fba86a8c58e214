"""A report for a person at three in the morning: what happened, why, what to do, how to be sure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from logsense.model.report import Report
from logsense.render import blocks
from logsense.render.clean import clean, one_line
from logsense.render.command_lines import REMARK, command_lines
from logsense.render.layout import Look, Sheet, cut_end, width_of
from logsense.render.plot import COLUMNS, sparkline, summary
from logsense.render.rank_groups import groups_in_words
from logsense.render.screen import MOST_FIXES
from logsense.render.whole import brief_blocks, whole_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDENT = 2
COMMAND = 7  # columns in front of a command
SAYS = 26  # columns of what a command is for, where several stand below each other
SCREEN_ROWS, SCREEN_COLUMNS = 18, 80
# What a report has if it would be longer otherwise: fixes, remarks behind commands, the explanation.
SHORTER = ((MOST_FIXES, True, True), (MOST_FIXES, False, True), (1, True, True), (1, False, True), (1, False, False))
RANK_ROWS = 4  # more, if ranks are shown
MARKS = {"failed": ("✗ ", "bad"), "guess": ("? ", "bold"), "good": ("✓ ", "good"), "plain": ("", "")}
TOGETHER = (blocks.Headline, blocks.Folded, blocks.Rival, blocks.Link, blocks.Timeline)  # begin without an empty line


def render_text(report: Report, look: Look) -> str:
    """Return `report` as text in columns, for a terminal or a file as `look` says."""
    inputs, command = one_line(look.inputs), one_line(look.details_command)
    if look.verbose:
        return text_of(whole_blocks(report, inputs=inputs), look)
    for fixes, remarks, explanation in SHORTER:
        parts = list(brief_blocks(report, fixes=fixes, command=command, inputs=inputs))
        parts = parts if explanation else [one for one in parts if not _is_explanation(one)]
        text = text_of(parts if remarks else map(_without_remark, parts), look)
        room = SCREEN_ROWS + RANK_ROWS * any(isinstance(block, blocks.RankTable) for block in parts)
        if _rows_of(text, look.width) <= room * max(1, SCREEN_COLUMNS / look.width):
            break
    return text


def _is_explanation(block: object) -> bool:
    return isinstance(block, blocks.Paragraph) and not (block.label or block.faint)


def _without_remark(block: object) -> object:
    """Return a step without the remarks behind the lines of its command."""
    if not isinstance(block, blocks.Step) or REMARK not in block.run:
        return block
    return block._replace(run="\n".join(line.partition(REMARK)[0] or line for line in block.run.split("\n")))


def _rows_of(text: str, columns: int) -> int:
    """Return how many rows of a terminal `text` takes; only commands are wider than it."""
    return sum(max(1, -(-width_of(clean(line)) // columns)) for line in text.splitlines())


def text_of(parts: Iterable[object], look: Look) -> str:
    """Return the blocks `parts` as text in columns."""
    sheet = Sheet(look)
    _put(parts, sheet)
    return sheet.text()


def _put(parts: Iterable[object], sheet: Sheet) -> None:
    before: object = None
    for block in parts:
        if not isinstance(block, TOGETHER) and not _belongs(block, before):
            sheet.gap()
        if isinstance(block, blocks.Folded):
            _put(block.blocks, sheet)
        else:
            _PUT[type(block)](block, sheet)
        before = block


def _belongs(block: object, before: object) -> bool:
    """Return whether `block` follows `before` without an empty line."""
    if isinstance(before, blocks.Heading) or (isinstance(before, blocks.Headline) and isinstance(block, blocks.Step)):
        return True
    if isinstance(block, blocks.Paragraph) and block.faint:
        return not isinstance(before, (blocks.Headline, blocks.Folded))
    bullet = isinstance(block, blocks.Proof) and block.text is None
    return (type(block) is type(before) and not isinstance(block, (blocks.Proof, blocks.Paragraph))) or bullet


def _headline(block: blocks.Headline, sheet: Sheet) -> None:
    """Put the title with its certainty at the right edge, or in front of the status where they do not fit a line."""
    mark, status, title = MARKS[block.kind], one_line(block.status), one_line(block.title)
    gap = " " * max(sheet.line_columns - width_of(mark[0] + title + block.sure), 2)
    if block.kind in ("good", "plain"):
        sheet.prose([(title, "bold"), (f"  {block.sure}", "dim")], first=mark)
    elif not block.sure or not sheet.line([mark, (title, "bold"), (gap, ""), (block.sure, "dim")]):
        sheet.prose([(title, "bold")], first=mark)
        status = " · ".join(part for part in (block.sure, status) if part)
    if status:
        sheet.prose([(status, "dim")], indent=INDENT)


def _heading(block: blocks.Heading, sheet: Sheet) -> None:
    sheet.prose([(block.text, "bold")])


def _paragraph(block: blocks.Paragraph, sheet: Sheet) -> None:
    sheet.prose([(block.text, "dim" if block.faint else "")], first=(block.label, "bold"), indent=INDENT)


def _proof(block: blocks.Proof, sheet: Sheet) -> None:
    indent = INDENT
    if block.says:
        sheet.prose([(block.says, "")], first=("• ", "gutter"), indent=INDENT)
        indent += 2
    if block.where:
        frame = f"  {one_line(block.frame)}" if block.frame else ""
        where = block.where + cut_end(frame, sheet.line_columns - indent - width_of(block.where))
        if not sheet.line([(where, "place")], indent=indent):
            sheet.code(block.where, indent=indent)  # a path is never broken
    if block.text is not None:
        sheet.quote(block.text, block.focus, indent=indent)


def _step(block: blocks.Step, sheet: Sheet) -> None:
    risk = f"  ({block.risk})" if block.risk else ""
    bullet = "dim" if block.label.startswith("•") else "bold"
    sheet.prose([(block.do, ""), (risk, "risk")], first=(block.label, bullet), indent=INDENT)
    if block.run:
        sheet.code("\n".join(command_lines(clean(block.run), sheet.columns - COMMAND)), indent=COMMAND)
    if block.why:
        sheet.prose([(block.why, "dim")], indent=INDENT + width_of(block.label))


def _rival(block: blocks.Rival, sheet: Sheet) -> None:
    sheet.prose([(block.title, "")], first=(f"{block.percent:>5}  ", "bold"), indent=INDENT)
    if block.explanation:
        sheet.prose([(block.explanation, "dim")], indent=INDENT + COMMAND)
    if block.check:
        sheet.prose([(block.check.do, "")], first=(block.check.label, "bold"), indent=INDENT + COMMAND)
        sheet.code(block.check.run, indent=INDENT + COMMAND + 5)


def _rows(block: blocks.Rows, sheet: Sheet) -> None:
    width = max(len(label) for label, _ in block.rows)
    for label, text in block.rows:
        sheet.prose([(one_line(text), "")], first=(f"{label:<{width}}  ", "bold"), indent=INDENT)


def _facts(block: blocks.Facts, sheet: Sheet) -> None:
    for name, value, where in block.rows:
        sheet.prose([(value, ""), (f" ({where})" if where else "", "place")], first=(f"{name}  ", "dim"), indent=INDENT)


def _plot(block: blocks.Plot, sheet: Sheet) -> None:
    sheet.prose([(block.series.title, ""), (f"  {summary(block.series)}", "dim")], indent=INDENT)
    line = sparkline(block.series, columns=min(COLUMNS, sheet.columns - INDENT))
    sheet.prose([(line, "code")], indent=INDENT)


def _bar(block: blocks.Bar, sheet: Sheet) -> None:
    sheet.prose([(block.blocks, "code"), (f" {block.words}", "")], first=(f"{block.name}  ", ""), indent=INDENT)


def _ranks(block: blocks.RankTable, sheet: Sheet) -> None:
    wide = max(width_of(ranks) for ranks, _, _ in block.rows)
    for ranks, said, at_fault in block.rows:
        line = cut_end(f"{ranks:<{wide}}  {one_line(said)}", sheet.line_columns - INDENT)
        sheet.line([(line, "bold" if at_fault else "dim")], indent=INDENT)


def _timeline(block: blocks.Timeline, sheet: Sheet) -> None:
    sheet.gap()
    sheet.prose([("Rank by rank", "bold")])
    for ranks, said, at_fault in groups_in_words(block.rows):
        sheet.prose([(said, "bold" if at_fault else "")], first=(f"{ranks}  ", "dim"), indent=INDENT)


def _command(block: blocks.Command, sheet: Sheet) -> None:
    says = block.says if block.says.endswith(" ") else f"{block.says:<{SAYS}}"
    if not sheet.line([(says, "dim"), (block.run, "dim")], indent=INDENT):
        sheet.prose([(block.says, "dim")], indent=INDENT)
        sheet.code(block.run, indent=COMMAND)


def _link(block: blocks.Link, sheet: Sheet) -> None:
    sheet.address(one_line(block.address), indent=INDENT)


_PUT: dict[type, Callable[[Any, Sheet], None]] = {
    blocks.Headline: _headline, blocks.Heading: _heading, blocks.Paragraph: _paragraph, blocks.Proof: _proof,
    blocks.Step: _step, blocks.Rival: _rival, blocks.Rows: _rows, blocks.Facts: _facts, blocks.Plot: _plot,
    blocks.Bar: _bar, blocks.RankTable: _ranks, blocks.Timeline: _timeline, blocks.Command: _command,
    blocks.Link: _link,
}  # fmt: skip
