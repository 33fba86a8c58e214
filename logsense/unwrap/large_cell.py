"""Reads the end of what a notebook cell printed if the cell is too large to decode at once."""

from __future__ import annotations

import json
import re
from collections import deque

MOST_KEPT = 4 << 20  # characters of JSON, counted from the end
MOST_STRING = 1 << 20  # characters of a line; images are longer
_MOST_DEPTH = 100
_LONGEST_ESCAPE = 6
_SIGN = re.compile(r'["{}\[\],:]')
_STRING = re.compile(r'(?:[^"\\]+|\\(?:u[0-9a-fA-F]{4}|[^u]))*')
_PRINTED = ("text", "traceback", "text/plain")
_BREAK = "\\n"  # escaped, as in JSON
_DECODER = json.JSONDecoder(strict=False)
_OUTPUTS_DEPTH = 2  # open brackets between two outputs: the cell's and the output list's


class LargeCell:
    """Parses a cell in pieces cut anywhere, and keeps only the end of what it printed."""

    def __init__(self, number: int | None) -> None:
        self.number = number  # execution count, if it is known
        self.failed = False
        self.damaged = False
        self._lines: deque[str] = deque()
        self._kept = 0
        self._open: list[tuple[str, str]] = []  # each open list and object, with its key
        self._key = self._word = self._rest = ""
        self._skips = False  # within a string that is not kept

    def feed(self, text: str) -> str | None:
        """Parse more of the cell; return the text after its end, None before the end is reached."""
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
        """Return the end of what the cell printed, with a final line break."""
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
        """Handle a character between strings; return whether it ends the cell."""
        if sign == ":":
            self._key = self._word
        elif sign == ",":
            self._key = ""
        elif sign in "{[":
            self._open.append((sign, self._key))
            self._key = ""
            self.damaged = len(self._open) > _MOST_DEPTH
        else:
            opening = self._open.pop()[0] if self._open else ""
            self.damaged = opening + sign not in ("{}", "[]")
            if len(self._open) == _OUTPUTS_DEPTH:
                self._end_line()
            return not self._open
        return False

    def _string(self, raw: str | None) -> None:
        """Handle a string as written in JSON; None if it was too long to keep."""
        kind, of_list = self._open[-1] if self._open else ("", "")
        if kind == "{" and not self._key:
            self._word = raw or ""
            return
        name = self._key if kind == "{" else of_list
        if name not in _PRINTED or ("[", "outputs") not in self._open[1:_OUTPUTS_DEPTH]:
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
    """Return where the JSON string around `at` ends, at its quote; the end of the text if it does not end there."""
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
