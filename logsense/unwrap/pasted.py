"""Undoes what copying and pasting does to a log: escapes, quotes, line numbers, a terminal's line wrap."""

from __future__ import annotations

import re

from logsense.model.record import TRACEBACK
from logsense.unwrap.cut_off import with_cell_header, with_exception, with_header
from logsense.unwrap.embedded import extract
from logsense.unwrap.quoted import unquote
from logsense.unwrap.wrapped import CountMatches, unwrap
from logsense.util.regexes import Lazy

LONGEST_END = 2000  # characters of a statement and the marks below it
_ENTITY = Lazy(r"&(?:lt|gt|quot|amp|apos|nbsp|#\d{2,3}|#[xX][0-9a-fA-F]{2});")
_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "amp": "&", "apos": "'", "nbsp": " "}
_ELEMENT = Lazy(r"</?(?:pre|code|span)\b[^<>\n]{0,400}>")
_BREAK = Lazy(r"<br ?/?>\n?")
# Links that Colab and VS Code make of a notebook's frames.
_LINK = Lazy(
    r"\[((?:[^\[\]\n]|\[[^\[\]\n]{0,20}\]){1,500})\]"
    r"\((?:https?://localhost:\d{1,5}/#|https://vscode-|vscode[\w.+-]{0,60}:|file:///|command:)[^()\s]{0,2000}\)"
)
_QUOTE = Lazy(r"\s{0,3}>(?!>>)(?: ?>)* ?")
_GUTTER = Lazy(r"\s*(\d{1,6})(?: ?[:|]|\t| )")
_ESCAPED_MARK = Lazy(r"\\([_*\[\]<>#`~()!+.|{}-])")
_BOLD = Lazy(r"(?m)(?:^|(?<=[ \t>]))\*\*(?=[^\s*])([^*\n]{0,800}[^\s*])\*\*(?=\s|[.,:;!?]|$)")
_TICKED = Lazy(r"\s*`[^\n]+`\s*")
_TIMES = 2  # a text may have been escaped twice
_FENCE = Lazy(r"( *)```[\w-]*\s*$")
_GLUED_FENCE = Lazy(r"(?m)(?:(?<=[^\s`])```$|^```(?=[^\s`]+[\s(]))")
_CURLY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'})
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
# Beginnings of a traceback's lines.
_NEXT_FRAME = Lazy(r" +(?=File \"[^\"]+\", line \d+)")
_NEXT_CODE = Lazy(r"(\bline \d+, in (?:<[^>\r]+>|[\w.]+)) +")
_NEXT_ERROR = Lazy(r" (?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Iteration)(?:: |\s*$))")
_NEXT_TRACEBACK = Lazy(r" (?=(?:Traceback \(most|During handling of the above|The above exception was))")
_FEW = 3


def undo_pasting(data: bytes, count_matches: CountMatches | None = None) -> bytes | None:
    """Return `data` as it was before it was pasted, with the same number of lines; None if nothing changed.

    A wrapped line is joined where it began and leaves empty lines; if the cuts are in doubt, `count_matches` decides,
    see `unwrap`. Meant for inputs of up to a megabyte.
    """
    text = data.decode("utf-8", "replace")
    changed = text
    steps = (
        extract,
        _unescape,
        _remove_links,
        _remove_markdown,
        unquote,
        _straighten,
        _split_traceback,
        _remove_quote_marks,
        _dedent_fenced,
        _remove_line_numbers,
        _complete,
    )
    for step in steps:
        changed = step(changed)
    changed = unwrap(changed, count_matches)
    return None if changed == text else changed.encode("utf-8", "replace")


def _unescape(text: str) -> str:
    """Decode HTML entities if there are several, line breaks, and the element around a page's text."""
    if text.count("<br") >= _FEW:
        text = _BREAK.sub(lambda found: "\n" if "\n" in found[0] else "\r", text)
    page = text.startswith(("<pre", "<code"))
    if page:
        text = _ELEMENT.sub("", text)
    for _ in range(_TIMES):
        if "&" not in text or (sum(1 for _ in _ENTITY.finditer(text)) < 2 and not page):
            break
        text = _ENTITY.sub(_entity, text)
    return text


def _remove_links(text: str) -> str:
    """Remove the links that a notebook's page makes to its own files."""
    return _LINK.sub(r"\1", text) if "](" in text else text


def _entity(found: re.Match[str]) -> str:
    name = found[0][1:-1]
    if name[0] != "#":
        return _ENTITIES[name]
    code = int(f"0{name[1:]}", 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 32 <= code < 127 else found[0]


def _remove_markdown(text: str) -> str:
    r"""Remove Markdown's escapes, as in \_\_init\_\_, bold type, and the backticks around single lines."""
    if text.count("\\_") + text.count("\\[") >= 2 and text.count("\\_") * 5 >= text.count("_") * 4:
        text = _ESCAPED_MARK.sub(r"\1", text)
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


def _split_traceback(text: str) -> str:
    """Split a traceback that was put on one line."""
    if text.count("\n") > 1 or "\r" in text or f"{TRACEBACK}: " not in text:
        return text
    for rule, separated in (
        (_NEXT_FRAME, "\r  "),
        (_NEXT_CODE, r"\1\r    "),
        (_NEXT_ERROR, "\r"),
        (_NEXT_TRACEBACK, "\r"),
    ):
        text = rule.sub(separated, text)
    return text


def _remove_quote_marks(text: str) -> str:
    """Remove the > in front of the lines of a quoted message."""
    if ">" not in text:
        return text
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    quoted = sum(1 for line in filled if _QUOTE.match(line))
    if quoted < 2 or quoted * 10 < len(filled) * 7:
        return text
    return "\n".join(line[found.end() :] if (found := _QUOTE.match(line)) else line for line in lines)


def _dedent_fenced(text: str) -> str:
    """Dedent fenced code blocks in a list."""
    if "```" not in text:
        return text
    lines = _GLUED_FENCE.sub("", text).split("\n")
    indent = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence:
            indent = len(fence[1]) if indent is None else None
        elif indent:
            lines[at] = line[min(indent, len(line) - len(line.lstrip(" "))) :]
    return "\n".join(lines)


def _complete(text: str) -> str:
    """Add the header of a traceback that was cut off, or the exception if it ends with `raise` or `assert`."""
    last = next((line for line in text[-LONGEST_END:].rstrip().split("\n")[:-3:-1] if line.strip(" \t^~")), "")
    if last.lstrip().startswith(("raise ", "assert ")):
        text = with_exception(text)
    if "\n---" in f"\n{text}" and "> " in text:
        text = with_cell_header(text)
    frame = text.find(", in ", text.find('", line '))
    if frame < 0 or -1 < text.find(TRACEBACK) < frame:
        return text
    return with_header(text)


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
