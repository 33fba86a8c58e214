"""Restores a log that was quoted as a value: a string of JSON or Python, a list of its lines."""

from __future__ import annotations

import json
import re

from logsense.model.record import TRACEBACK
from logsense.util.regexes import Lazy

_FEW = 3
_ELEMENT = Lazy(r'\s*("(?:[^"\\]|\\.)*"),?\s*$')
_TOKEN = Lazy(r"\\.|[\"'\n]")
_ESCAPE = Lazy(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_ESC = 27  # begins escape sequences, which are removed later
_PLAIN = {"n": "\r", "r": "", "t": "\t", "b": "", "f": "", "/": "/", '"': '"', "'": "'", "\\": "\\"}


def unquote(text: str) -> str:
    r"""Return `text` with list elements as lines, and with the line breaks that \n stands for in strings.

    Line breaks from a string become carriage returns, so the number of lines stays.
    """
    if text[:2] == '["' and text.count("\n") <= 1:
        return _one_line_list(text)
    if '"' in text:
        text = _list_elements(text)
    return _long_strings(text) if text.count("\\n") >= _FEW else text


def unescape(text: str) -> str:
    """Decode the escapes in `text`, the inside of a string; its line breaks become carriage returns."""
    return _ESCAPE.sub(_decoded, text)


def _list_elements(text: str) -> str:
    """Decode the strings of a list that has each on a line of its own."""
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


def _long_strings(text: str) -> str:
    r"""Decode strings with several \n if they are most of the text."""
    strings = [(begin, end) for begin, end in _strings(text) if text.count("\\n", begin, end) >= _FEW]
    if sum(end - begin for begin, end in strings) * 2 >= len(text):
        pieces, at = [], 0
        for begin, end in strings:
            before = text[at : begin - 1].rstrip("b")
            pieces += [before, "\r" if before else "", unescape(text[begin:end]), "\r"]
            at = end + 1
        return "".join([*pieces, text[at:]])
    if text.count("\n") > 1 or TRACEBACK not in text:
        return text
    return unescape(text)


def _one_line_list(text: str) -> str:
    """Decode the strings of a list on one line."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not all(isinstance(one, str) for one in found):
        return text
    return "\r".join(found).replace("\n", "\r") + text[len(text.rstrip("\n")) :]


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
