"""What forums, browsers, word processors and viewers make of a text: entities, Markdown, quotes, line numbers."""

from __future__ import annotations

import re

from logsense.unwrap.paste import PasteShape, each_line
from logsense.util.regexes import Lazy

_ENTITY = Lazy(r"&(?:lt|gt|quot|amp|apos|nbsp|#\d{2,3}|#[xX][0-9a-fA-F]{2});")
_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "amp": "&", "apos": "'", "nbsp": " "}
_ELEMENT = Lazy(r"</?(?:pre|code|span)\b[^<>\n]{0,400}>")
_QUOTE = Lazy(r"\s{0,3}>(?!>>)(?: ?>)* ?")
_GUTTER = Lazy(r"\s*(\d{1,6})(?: ?[:|]|\t| )")
_ESCAPED_MARK = Lazy(r"\\([_*\[\]<>#`~()!+.|{}-])")
_BOLD = Lazy(r"(?m)(?:^|(?<=[ \t>]))\*\*(?=[^\s*])([^*\n]{0,800}[^\s*])\*\*(?=\s|[.,:;!?]|$)")
_TICKED = Lazy(r"\s*`[^\n]+`\s*")
_GLUED_FENCE = Lazy(r"(?m)(?:(?<=[^\s`])```$|^```(?=[^\s`]+[\s(]))")
_TIMES = 2  # a text may have been escaped twice
_CURLY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'})
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_FEW = 3


def _decode_entities(text: str) -> str:
    """Decode HTML entities if there are several, and remove the element around a page's text."""
    is_page = text.startswith(("<pre", "<code"))
    if is_page:
        text = _ELEMENT.sub("", text)
    for _ in range(_TIMES):
        if "&" not in text or (sum(1 for _ in _ENTITY.finditer(text)) < 2 and not is_page):
            break
        text = _ENTITY.sub(_entity, text)
    return text


def _entity(found: re.Match[str]) -> str:
    name = found[0][1:-1]
    if name[0] != "#":
        return _ENTITIES[name]
    code = int(f"0{name[1:]}", 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 32 <= code < 127 else found[0]


def _remove_markdown(text: str) -> str:
    r"""Remove Markdown's escapes, as in \_\_init\_\_, bold type, glued fences, and backticks around lines."""
    if text.count("\\_") + text.count("\\[") >= 2 and text.count("\\_") * 5 >= text.count("_") * 4:
        text = _ESCAPED_MARK.sub(r"\1", text)
    if "```" in text:
        text = _GLUED_FENCE.sub("", text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    for mark in ("`", "**"):
        if mark in text:
            text = _remove_unpaired(text, mark)
    if text.count("`") == 2 and _TICKED.fullmatch(text):
        return text.replace("`", "")
    if text.count("`\n`") >= 2:
        lines = text.split("\n")
        filled = [line for line in lines if line.strip()]
        if sum(1 for line in filled if _TICKED.fullmatch(line)) * 10 > len(filled) * 9:
            text = "\n".join([line.strip()[1:-1] if _TICKED.fullmatch(line) else line for line in lines])
    return text


def _remove_unpaired(text: str, mark: str) -> str:
    """Return `text` without a `mark` at its very beginning or end that has no other in its line."""
    body = text.rstrip()
    last = body[body.rfind("\n") + 1 :]
    size = len(mark)
    if last.endswith(mark) and last.count(mark) % 2 and last[:-size].rstrip()[-1:] not in ("", mark[0]):
        text = body[:-size] + text[len(body) :]
    first = text.split("\n", 1)[0]
    begin = first.lstrip()
    if begin.startswith(mark) and first.count(mark) % 2 and begin[size:].lstrip()[:1] not in ("", mark[0]):
        text = text.replace(mark, "", 1)
    return text


def _straighten(text: str) -> str:
    """Straighten quotes if all of them are curly, and split ligatures from PDFs."""
    if text.isascii():
        return text
    for drawn, letters in _LIGATURES.items():
        text = text.replace(drawn, letters)
    if "File \u201c" in text or "File \u201d" in text or "File \u201e" in text or ('"' not in text and "'" not in text):
        return text.translate(_CURLY)
    return text


def _remove_quote_marks(text: str) -> str:
    """Remove the > in front of the lines of a quoted message."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    quoted = sum(1 for line in filled if _QUOTE.match(line))
    if quoted < 2 or quoted * 10 < len(filled) * 7:
        return text
    return "\n".join(line[found.end() :] if (found := _QUOTE.match(line)) else line for line in lines)


def _remove_line_numbers(text: str) -> str:
    """Remove line numbers that a viewer put in front of the lines."""
    if not text.lstrip()[:1].isdigit():
        return text
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if len(filled) < _FEW:
        return text
    found = [_GUTTER.match(line + " ") for line in lines]
    numbers = [int(one[1]) for one in found if one]
    if len(numbers) < 5 or len(numbers) * 10 < len(filled) * 9:
        return text
    steps = sum(numbers[at] == numbers[at - 1] + 1 for at in range(1, len(numbers)))
    if steps * 10 < (len(numbers) - 1) * 9:
        return text
    bodies = [line[one.end() :] if one else line for line, one in zip(lines, found, strict=True)]
    gap = min((len(body) - len(body.lstrip(" ")) for body in bodies if body.strip()), default=0)
    bodies = [body[gap:] for body in bodies]
    # Numbered training steps look like this too, but all alike.
    if not any(body[:1] in (" ", "\t") or "Traceback (most recent" in body for body in bodies):
        return text
    return "\n".join(bodies)


MARKUP = (
    PasteShape("HTML", ("&", "<pre", "<code"), each_line(_decode_entities)),
    PasteShape("Markdown", ("\\_", "\\[", "**", "`"), each_line(_remove_markdown)),
)
LETTERS = (PasteShape("typographer's quotes", ("",), each_line(_straighten)),)
MARGINS = (
    PasteShape("a quoted message", (">",), each_line(_remove_quote_marks)),
    PasteShape("line numbers", ("",), each_line(_remove_line_numbers)),
)
