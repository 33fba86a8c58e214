"""Restore a log that was quoted as a value: a string of JSON or Python, a list of its lines."""

from __future__ import annotations

import re

from logsense.model.record import TRACEBACK
from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.regexes import Lazy

_FEW = 3
_ELEMENT = Lazy(r'\s*("(?:[^"\\]|\\.)*"),?\s*$')
_TOKEN = Lazy(r"\\.|[\"'\n]")
_ESCAPE = Lazy(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_ESC = 27  # begins escape sequences, which are removed later
_PLAIN = {"n": "\n", "r": "", "t": "\t", "b": "", "f": "", "/": "/", '"': '"', "'": "'", "\\": "\\"}


def unquote(paste: Paste) -> Paste:
    r"""Return the text with list elements as lines, and with the line breaks that \n stands for in strings."""
    if paste.text[:2] == '["' and paste.text.count("\n") <= 1:
        return _one_line_list(paste)
    if '"' in paste.text:
        paste = _list_elements(paste)
    return _long_strings(paste) if paste.text.count("\\n") >= _FEW else paste


def _unescape(text: str) -> str:
    """Decode the escapes in `text`, the inside of a string."""
    return _ESCAPE.sub(_decoded, text)


def _list_elements(paste: Paste) -> Paste:
    """Decode the strings of a list that has each on a line of its own."""
    if paste.text.count('",\n') + 1 < _FEW:
        return paste
    lines = paste.text.split("\n")
    begin = 0
    while begin < len(lines):
        end = begin
        found = []
        while end < len(lines) and '"' in lines[end] and (element := _ELEMENT.match(lines[end])):
            found.append(element[1])
            end += 1
        if len(found) >= _FEW:
            lines[begin:end] = [_loaded(one) for one in found]
        begin = end + 1
    return paste.with_lines(lines)


def _loaded(element: str) -> str:
    import json

    try:
        return str(json.loads(element))
    except ValueError:
        return element


def _long_strings(paste: Paste) -> Paste:
    r"""Decode strings with several \n if they are most of the text."""
    text = paste.text
    strings = [(begin, end) for begin, end in _strings(text) if text.count("\\n", begin, end) >= _FEW]
    if sum(end - begin for begin, end in strings) * 2 < len(text):
        return paste if text.count("\n") > 1 or TRACEBACK not in text else paste.sub(_ESCAPE, _decoded)
    edits = []
    for begin, end in strings:
        start = begin - 1 - text.endswith("b", 0, begin - 1)  # of bytes
        above = "\n" if text[start - 1 : start].strip("\n") else ""
        below = "\n" if text[end + 1 : end + 2].strip("\n") else ""
        edits.append((start, end + 1, above + _unescape(text[begin:end]) + below))
    return paste.replaced(edits)


def _one_line_list(paste: Paste) -> Paste:
    """Decode the strings of a list on one line."""
    import json

    try:
        found = json.loads(paste.text)
    except (ValueError, RecursionError):
        return paste
    if not all(isinstance(one, str) for one in found):
        return paste
    return paste.replaced([(0, len(paste.text.rstrip("\n")), "\n".join(found))])


def _strings(text: str) -> list[tuple[int, int]]:
    """Return where the insides of the quoted strings of `text` begin and end; no string spans lines."""
    found: list[tuple[int, int]] = []
    quote, begin = "", 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == "\n":
            quote = ""
        elif not quote and len(mark) == 1:
            quote, begin = mark, token.end()
        elif mark == quote:
            found.append((begin, token.start()))
            quote = ""
    return found


def _decoded(escape: re.Match[str]) -> str:
    body = escape[0][1:]
    if len(body) > 1:
        code = int(body[1:], 16)
        return chr(code) if code >= 32 or code == _ESC else " "
    return _PLAIN.get(body, "\\" + body)


SHAPES = (PasteShape("a string or list of a program", ('"', "'", "\\n"), unquote),)
