"""Reads a cell of a notebook that is too large to be decoded at once: the last of what it printed."""

from __future__ import annotations

import json
import re
from collections import deque

MOST_KEPT = 4 << 20  # characters, as they are written and counted from the end
MOST_STRING = 1 << 20  # of one line; pictures are longer
_MOST_DEPTH = 100
_LONGEST_ESCAPE = 6
_SIGN = re.compile(r'["{}\[\],:]')
_STRING = re.compile(r'(?:[^"\\]+|\\(?:u[0-9a-fA-F]{4}|[^u]))*')
_PRINTED = ("text", "traceback", "text/plain")
_BREAK = "\\n"  # as it is written
_DECODER = json.JSONDecoder(strict=False)
_OUTPUTS = 2  # lists and objects that are open between two outputs: the cell, and the list of its outputs


class LargeCell:
    """Takes a cell in pieces that may be cut anywhere, and holds no more of it than the last that it printed."""

    def __init__(self, ran: int | None) -> None:
        self.ran = ran  # its number, where that stands in its head
        self.failed = False
        self.damaged = False
        self._lines: deque[str] = deque()
        self._kept = 0
        self._open: list[tuple[str, str]] = []  # each list and object, and the key that it has
        self._key = self._word = self._rest = ""
        self._skips = False  # inside a string that is not kept

    def feed(self, text: str) -> str | None:
        """Take more of it; gives what follows its end, None as long as that is not reached."""
        text, at = self._rest + text, 0
        self._rest = ""
        while not self.damaged:
            if self._skips:
                at = self._skip(text, at)
                if self._skips:
                    break
            sign = _SIGN.search(text, at)
            if not sign:
                break
            at = sign.end()
            if sign[0] == '"':
                end = end_of_string(text, at)
                if end < len(text):
                    self._string(text[at:end])
                    at = end + 1
                elif end - at > MOST_STRING:
                    self._skips = True
                else:
                    self._rest = text[at - 1 :]
                    break
            elif self._mark(sign[0]):
                return text[at:]
        return None

    def text(self) -> str:
        """The last of what it printed, a line break at its end."""
        self._end_line()
        return "".join(map(_decoded, self._lines))

    def _skip(self, text: str, at: int) -> int:
        end = end_of_string(text, at)
        if end < len(text):
            self._skips = False
            self._string(None)
            return end + 1
        at = _whole(text, at)
        self._rest = text[at:]
        self.damaged = len(self._rest) > _LONGEST_ESCAPE
        return at

    def _mark(self, sign: str) -> bool:
        """Follow one sign between strings; whether it ends the cell."""
        if sign == ":":
            self._key = self._word
        elif sign == ",":
            self._key = ""
        elif sign in "{[":
            self._open.append((sign, self._key))
            self._key = ""
            self.damaged = len(self._open) > _MOST_DEPTH
        else:
            begun = self._open.pop()[0] if self._open else ""
            self.damaged = begun + sign not in ("{}", "[]")
            if len(self._open) == _OUTPUTS:
                self._end_line()
            return not self._open
        return False

    def _string(self, raw: str | None) -> None:
        """Take one string as it is written; None where it was too long to be held."""
        kind, of_list = self._open[-1] if self._open else ("", "")
        if kind == "{" and not self._key:
            self._word = raw or ""
            return
        name = self._key if kind == "{" else of_list
        if name not in _PRINTED or ("[", "outputs") not in self._open[1:_OUTPUTS]:
            return
        if raw is None or len(raw) > MOST_STRING:
            return
        if name == "traceback":
            self.failed = True
            raw += _BREAK
        self._keep(raw)

    def _keep(self, line: str) -> None:
        if not line:
            return
        self._lines.append(line)
        self._kept += len(line)
        while self._kept - len(self._lines[0]) >= MOST_KEPT:
            self._kept -= len(self._lines.popleft())

    def _end_line(self) -> None:
        if self._lines and not self._lines[-1].endswith(_BREAK):
            self._keep(_BREAK)


def end_of_string(text: str, at: int) -> int:
    """Where the string of JSON ends that `at` is in, at its quote; the end of the text where it does not end there."""
    end = _whole(text, at)
    return end if text[end : end + 1] == '"' else len(text)


def _whole(text: str, at: int) -> int:
    found = _STRING.match(text, at)
    return found.end() if found else at


def _decoded(raw: str) -> str:
    try:
        found: str = _DECODER.decode(f'"{raw}"')
    except ValueError:
        return ""
    return found
