"""Extract a log from a page: HTML paragraphs and tables, the frame that `bat` draws."""

from __future__ import annotations

from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.regexes import Lazy

_FEW = 3
_CLOSED = Lazy(r"(?:</(?:p|div|li|tr|h\d)>|<br ?/?>)[ \t]*(\n?)")
_NUMBER = Lazy(r"<td[^<>\n]{0,200}>\s*\d*\s*</td>")
_BLOCK = Lazy(r"</(?:p|div|li|tr)>|<br ?/?>")
_TAG = Lazy(
    r"</?(?:html|body|head|p|div|span|table|tbody|thead|tr|td|th|pre|code|li|ul|ol|b|i|em|strong|font|a|samp|kbd|h\d|br)"
    r"(?:\s[^<>\n]{0,400})?/?>"
)
_FRAME = Lazy(r"[─━]{3,}[┬┼┴╂][─━]{3,}\s*")
_TITLE = Lazy(r" +│ File: \S")
_FRAMED = Lazy(r" {0,12}\d{0,7} {1,12}│ ?")


def _remove_html(paste: Paste) -> Paste:
    """Remove the elements around the lines of a page: paragraphs, list items, rows of a table, line breaks."""
    if sum(1 for _ in _BLOCK.finditer(paste.text)) < _FEW:
        return paste
    lines = [line for line in paste.text.split("\n") if line.strip()]
    if sum(1 for line in lines if _TAG.search(line)) * 10 < len(lines) * 7:
        return paste
    paste = paste._replace(text=_NUMBER.sub("", paste.text)).sub(_CLOSED, lambda _: "\n")
    return paste._replace(text=_TAG.sub("", paste.text))


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
    PasteShape("an HTML page", ("</", "<br"), _remove_html),
    PasteShape("bat", ("│ File: ",), _remove_frame),
)
