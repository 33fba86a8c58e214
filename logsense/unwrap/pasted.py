"""Undoes what happens to a log on its way through a clipboard: escapes, quotes, line numbers, a terminal's wrap."""

from __future__ import annotations

import re

from logsense.model.record import TRACEBACK
from logsense.unwrap.cut_off import completed, completed_cell, ended
from logsense.unwrap.quoted import unquote
from logsense.unwrap.wrapped import Knows, unwrap
from logsense.util.regexes import Lazy

LONGEST_END = 2000  # characters: a statement, and the marks below it
_ENTITY = Lazy(r"&(?:lt|gt|quot|amp|apos|nbsp|#\d{2,3}|#[xX][0-9a-fA-F]{2});")
_ENTITIES = {"lt": "<", "gt": ">", "quot": '"', "amp": "&", "apos": "'", "nbsp": " "}
_ELEMENT = Lazy(r"</?(?:pre|code|span)\b[^<>\n]{0,400}>")
_BREAK = Lazy(r"<br ?/?>\n?")
# What Colab and VS Code make of a notebook's frames and of the lines that they show.
_LINK = Lazy(
    r"\[((?:[^\[\]\n]|\[[^\[\]\n]{0,20}\]){1,500})\]"
    r"\((?:https?://localhost:\d{1,5}/#|https://vscode-|vscode[\w.+-]{0,60}:|file:///|command:)[^()\s]{0,2000}\)"
)
_QUOTE = Lazy(r"\s{0,3}>(?!>>)(?: ?>)* ?")
_GUTTER = Lazy(r"\s*(\d{1,6})(?: ?[:|]|\t| )")
_ESCAPED_MARK = Lazy(r"\\([_*\[\]<>#`~()!+.|{}-])")
_BOLD = Lazy(r"(?m)(?:^|(?<=[ \t>]))\*\*(?=[^\s*])([^*\n]{0,800}[^\s*])\*\*(?=\s|[.,:;!?]|$)")
_TICKED = Lazy(r"\s*`[^\n]+`\s*")
_TIMES = 2  # that a text may have been escaped
_FENCE = Lazy(r"( *)```[\w-]*\s*$")
_GLUED_FENCE = Lazy(r"(?m)(?:(?<=[^\s`])```$|^```(?=[^\s`]+[\s(]))")
_CURLY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'})
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
# What begins a line of a traceback.
_NEXT_FRAME = Lazy(r" +(?=File \"[^\"]+\", line \d+)")
_NEXT_CODE = Lazy(r"(\bline \d+, in (?:<[^>\r]+>|[\w.]+)) +")
_NEXT_ERROR = Lazy(r" (?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Iteration)(?:: |\s*$))")
_NEXT_TRACEBACK = Lazy(r" (?=(?:Traceback \(most|During handling of the above|The above exception was))")
_FEW = 3
# What there is to be undone by `uncarried`.
_CARRIED = (
    *("FullyQualifiedErrorId", "CategoryInfo", "\n@@ -", "\nE   ", ' msg="', "=3D", "=\n", "  Traceback (most recent"),
    *('"stack": "', "</", "|-", "| -", "│ File: ", "\n------\n"),
)


def normalise(data: bytes, count_matches: Knows | None = None) -> bytes | None:
    """`data` as it was before it was pasted, with the same number of lines; None where nothing was done to it.

    A wrapped line is put together again where it began, and leaves empty lines; `count_matches` is asked where that
    is in
    doubt, see `unwrap`. Meant for inputs up to a megabyte.
    """
    text = data.decode("utf-8", "replace")
    changed = text
    steps = (
        _extract,
        _unescape,
        _unlinked,
        _unmark,
        unquote,
        _straight,
        _apart,
        _unquote,
        _unfence,
        _unnumber,
        _completed,
    )
    for step in steps:
        changed = step(changed)
    changed = unwrap(changed, count_matches)
    return None if changed == text else changed.encode("utf-8", "replace")


def _extract(text: str) -> str:
    """The log that another program carries in the midst of its own text."""
    if not any(sign in text for sign in _CARRIED) and ": |\n" not in text[:80]:
        return text
    from logsense.unwrap.embedded import extract

    return extract(text)


def _unescape(text: str) -> str:
    """HTML's escapes, where there are several, its line breaks, and the element that a whole page's text stands in."""
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


def _unlinked(text: str) -> str:
    """What a notebook's page shows for links to its own files."""
    return _LINK.sub(r"\1", text) if "](" in text else text


def _entity(found: re.Match[str]) -> str:
    name = found[0][1:-1]
    if name[0] != "#":
        return _ENTITIES[name]
    code = int(f"0{name[1:]}", 0) if name[1] in "xX" else int(name[1:])
    return chr(code) if 32 <= code < 127 else found[0]


def _unmark(text: str) -> str:
    r"""Markdown's escapes, as in \_\_init\_\_, what is set in bold, and the backticks around each single line."""
    if text.count("\\_") + text.count("\\[") >= 2 and text.count("\\_") * 5 >= text.count("_") * 4:
        text = _ESCAPED_MARK.sub(r"\1", text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    for mark in ("`", "**"):
        if mark in text:
            text = _unpaired(text, mark)
    if text.count("`") == 2 and _TICKED.fullmatch(text):
        return text.replace("`", "")
    if text.count("`\n`") >= 2:
        lines = text.split("\n")
        filled = [line for line in lines if line.strip()]
        if sum(1 for line in filled if _TICKED.fullmatch(line)) * 10 > len(filled) * 9:
            text = "\n".join([line.strip()[1:-1] if _TICKED.fullmatch(line) else line for line in lines])
    return text


def _unpaired(text: str, mark: str) -> str:
    """`text` without a `mark` that begins its first line, or ends its last one, and has no other in that line."""
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


def _straight(text: str) -> str:
    """Straight quotes, where a word processor or a page made all of them curly, and letters that a PDF drew as one."""
    if text.isascii():
        return text
    for drawn, letters in _LIGATURES.items():
        text = text.replace(drawn, letters)
    if "File \u201c" in text or "File \u201d" in text or "File \u201e" in text or ('"' not in text and "'" not in text):
        return text.translate(_CURLY)
    return text


def _apart(text: str) -> str:
    """The lines of a traceback that was put on one line."""
    if text.count("\n") > 1 or "\r" in text or f"{TRACEBACK}: " not in text:
        return text
    for rule, parted in (
        (_NEXT_FRAME, "\r  "),
        (_NEXT_CODE, r"\1\r    "),
        (_NEXT_ERROR, "\r"),
        (_NEXT_TRACEBACK, "\r"),
    ):
        text = rule.sub(parted, text)
    return text


def _unquote(text: str) -> str:
    """The > in front of the lines of a quoted message."""
    if ">" not in text:
        return text
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    quoted = sum(1 for line in filled if _QUOTE.match(line))
    if quoted < 2 or quoted * 10 < len(filled) * 7:
        return text
    return "\n".join(line[found.end() :] if (found := _QUOTE.match(line)) else line for line in lines)


def _unfence(text: str) -> str:
    """The indentation of blocks of code that stand in a list."""
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


def _completed(text: str) -> str:
    """The header of a traceback that begins in the middle; the exception of one that ends with `raise` or `assert`."""
    last = next((line for line in text[-LONGEST_END:].rstrip().split("\n")[:-3:-1] if line.strip(" \t^~")), "")
    if last.lstrip().startswith(("raise ", "assert ")):
        text = ended(text)
    if "\n---" in f"\n{text}" and "> " in text:
        text = completed_cell(text)
    frame = text.find(", in ", text.find('", line '))
    if frame < 0 or -1 < text.find(TRACEBACK) < frame:
        return text

    return completed(text)


def _unnumber(text: str) -> str:
    """Line numbers that a viewer put in front of the lines."""
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
    # Numbered steps of a training look like this as well, but all alike.
    if not any(body[:1] in (" ", "\t") or "Traceback (most recent" in body for body in bodies):
        return text
    return "\n".join(bodies)
