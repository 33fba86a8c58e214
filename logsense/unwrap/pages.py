"""Extracts a log from a page: HTML paragraphs and tables, Markdown tables, the frame that `bat` draws."""

from __future__ import annotations

from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.regexes import Lazy

_FEW = 3
_CLOSED = Lazy(r"</(?:p|div|li|tr|h\d)>[ \t]*(\n?)")
_NUMBER = Lazy(r"<td[^<>\n]{0,200}>\s*\d*\s*</td>")
_BLOCK = Lazy(r"</(?:p|div|li|tr)>")
_TAG = Lazy(
    r"</?(?:html|body|head|p|div|span|table|tbody|thead|tr|td|th|pre|code|li|ul|ol|b|i|em|strong|font|a|samp|kbd|h\d)"
    r"(?:\s[^<>\n]{0,400})?>"
)
_RULE = Lazy(r"\|?(?: ?:?-{2,}:? ?\|)+(?: ?:?-{2,}:? ?)?\|?\s*")
_CELL_END = Lazy(r"(?<!\\)\|")
_TEXT_COLUMNS = ("message", "log", "error", "line", "output", "traceback", "text")
_FRAME = Lazy(r"[─━]{3,}[┬┼┴╂][─━]{3,}\s*")
_TITLE = Lazy(r" +│ File: \S")
_FRAMED = Lazy(r" {0,12}\d{0,7} {1,12}│ ?")


def _remove_html(paste: Paste) -> Paste:
    """Remove the elements around the lines of a page: paragraphs, list items, rows of a table."""
    if sum(1 for _ in _BLOCK.finditer(paste.text)) < _FEW:
        return paste
    lines = [line for line in paste.text.split("\n") if line.strip()]
    if sum(1 for line in lines if _TAG.search(line)) * 10 < len(lines) * 7:
        return paste
    paste = paste._replace(text=_NUMBER.sub("", paste.text)).sub(_CLOSED, lambda _: "\n")
    return paste._replace(text=_TAG.sub("", paste.text))


def _table_column(paste: Paste) -> Paste:
    """Return the column of a Markdown table that holds the log, if the table is all there is."""
    lines = paste.text.split("\n")
    filled = [at for at, line in enumerate(lines) if line.strip()]
    rule = next((at for at in filled[:4] if _RULE.fullmatch(lines[at].strip())), None)
    if rule is None or rule == 0 or len(filled) < _FEW:
        return paste
    rows = [at for at in filled if at > rule and lines[at].strip()[:1] == "|"]
    if len(rows) * 10 < (len(filled) - 2) * 9:
        return paste
    names = [name.strip().lower() for name in _cells(lines[rule - 1])]
    cells = {at: _cells(lines[at]) for at in rows}
    if any(len(one) != len(names) for one in cells.values()):
        return paste
    candidates = [number for number, name in enumerate(names) if any(sign in name for sign in _TEXT_COLUMNS)]
    sizes = [sum(len(one[number]) for one in cells.values()) for number in range(len(names))]
    column = candidates[-1] if candidates else sizes.index(max(sizes))
    for at, one in cells.items():
        cell = one[column].replace("\\|", "|")
        lines[at] = cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "`" else cell
    return paste.with_lines(None if at in (rule - 1, rule) else line for at, line in enumerate(lines))


def _cells(row: str) -> list[str]:
    body = row.strip().removeprefix("|")
    parts = _CELL_END.split(body)
    if not parts[-1].strip():
        parts.pop()
    return [part.removeprefix(" ").rstrip() for part in parts]


def _remove_frame(paste: Paste) -> Paste:
    """Remove the frame that `bat` draws around a file."""
    lines = paste.text.split("\n")
    filled = [line for line in lines if line.strip()]
    if sum(1 for line in filled if _FRAMED.match(line) or _FRAME.fullmatch(line)) * 10 < len(filled) * 9:
        return paste
    return paste.with_lines(
        None if _TITLE.match(line) or _FRAME.fullmatch(line) else _FRAMED.sub("", line, 1) for line in lines
    )


SHAPES = (
    PasteShape("an HTML page", ("</",), _remove_html),
    PasteShape("a table in Markdown", ("|-", "| -"), _table_column),
    PasteShape("bat", ("│ File: ",), _remove_frame),
)
