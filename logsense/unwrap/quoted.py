"""Undoes what becomes of a log that a program carries as a value: a string of JSON or Python, a list of its lines."""

from __future__ import annotations

import json
import re

from logsense.model.record import TRACEBACK
from logsense.util.regexes import Lazy

_FEW = 3
_ELEMENT = Lazy(r'\s*("(?:[^"\\]|\\.)*"),?\s*$')
_TOKEN = Lazy(r"\\.|[\"'\n]")
_ESCAPE = Lazy(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_COLOUR = 27  # begins a terminal's sequences, which are taken off later
_PLAIN = {"n": "\r", "r": "", "t": "\t", "b": "", "f": "", "/": "/", '"': '"', "'": "'", "\\": "\\"}


def unquote(text: str) -> str:
    r"""`text` with the lines that were elements of a list, or parted by \n in a string, as they were.

    Lines that stood in one string are parted by carriage returns, so that the number of lines stays.
    """
    if text[:2] == '["' and text.count("\n") <= 1:
        return _flat(text)
    if '"' in text:
        text = _unlisted(text)
    return _unfolded(text) if text.count("\\n") >= _FEW else text


def unescaped(text: str) -> str:
    """What `text` says, the inside of a string with escapes; the ends of its lines keep to the line it stands in."""
    return _ESCAPE.sub(_said, text)


def _unlisted(text: str) -> str:
    """The strings of a list that has each on a line of its own."""
    if text.count('",\n') + 1 < _FEW:
        return text
    lines = text.split("\n")
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
    return "\n".join(lines)


def _loaded(element: str) -> str:
    try:
        return str(json.loads(element)).replace("\n", "\r")
    except ValueError:
        return element


def _unfolded(text: str) -> str:
    r"""The strings with several \n in them, where they are most of the text."""
    strings = [(begin, end) for begin, end in _strings(text) if text.count("\\n", begin, end) >= _FEW]
    if sum(end - begin for begin, end in strings) * 2 >= len(text):
        pieces, at = [], 0
        for begin, end in strings:
            before = text[at : begin - 1].rstrip("b")
            pieces += [before, "\r" if before else "", unescaped(text[begin:end]), "\r"]
            at = end + 1
        return "".join([*pieces, text[at:]])
    if text.count("\n") > 1 or TRACEBACK not in text:
        return text
    return unescaped(text)


def _flat(text: str) -> str:
    """The strings of a list on one line."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not all(isinstance(one, str) for one in found):
        return text
    return "\r".join(found).replace("\n", "\r") + text[len(text.rstrip("\n")) :]


def _strings(text: str) -> list[tuple[int, int]]:
    """Where the insides of the quoted strings of `text` begin and end; none goes on over a line's end."""
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


def _said(escape: re.Match[str]) -> str:
    body = escape[0][1:]
    if len(body) > 1:
        code = int(body[1:], 16)
        return chr(code) if code >= 32 or code == _COLOUR else " "
    return _PLAIN.get(body, "\\" + body)
