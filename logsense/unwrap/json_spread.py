"""Unwraps logs of JSON objects that are written over several lines each, a member on a line."""

from __future__ import annotations

import re
from collections.abc import Callable

from logsense.unwrap.json_entry import ERRORS, LEVELS, STREAMS, SURE, TIMES, load, one_line, stamp

_TEXTS = (*SURE, *ERRORS, "data", "line", "content")
_OPENS = re.compile(rb'\s*"[^"]*":\s*[\[{]\s*$')
_MOST_WAITING = 100  # lines that a message waits for its time


def decoder(lines: list[bytes]) -> Callable[[bytes], bytes] | None:
    """What turns the lines of such a log, in order, into plain text; None where `lines` begin no such log."""
    lines = [line for line in lines if line.strip(b" \t\r\n[]{},")]
    members = [entry for entry in map(_member, lines) if entry]
    keys = {key for key, _ in members}
    timed = bool(keys & {*TIMES, *STREAMS, *LEVELS})
    if len(members) * 2 < len(lines) or not timed or not keys & {*SURE, "data", "line", "content"}:
        return None
    return Spread()


class Spread:
    """Gives the message of each object behind its time, whichever stands first, and empty lines for the rest."""

    def __init__(self) -> None:
        self._time = ""
        self._indent = 0
        self._said: list[bytes] | None = None  # the lines from a message on that waits for its time

    def __call__(self, line: bytes) -> bytes:
        """The text of the next line, and of those that waited for it."""
        end = line[len(line.rstrip(b"\r\n")) :]
        entry = _member(line)
        if entry is None:
            if line.strip(b" \t\r\n[]{},") and not _OPENS.match(line):
                return self.rest() + line
            if len(line) - len(line.lstrip()) < self._indent:  # the object's end
                given, self._time = self.rest(), ""
                return given + end
            return self._later(end)
        key, value = entry
        if key in TIMES and (time := stamp(value)):
            self._time = self._time or time
            return self.rest() + end
        if key in _TEXTS and isinstance(value, (str, list)) and not (key in ERRORS and not value):
            given = self.rest()
            self._indent = len(line) - len(line.lstrip())
            self._said = [one_line(value).encode("utf-8", "replace") + end]
            return given + (self.rest() if self._time else b"")
        return self._later(end)

    def rest(self) -> bytes:
        """What waits, behind the time where one was seen."""
        said, self._said = self._said, None
        if not said:
            return b""
        return (f"{self._time} ".encode() if self._time and said[0].strip() else b"") + b"".join(said)

    def _later(self, end: bytes) -> bytes:
        if self._said is None:
            return end
        self._said.append(end)
        return self.rest() if len(self._said) > _MOST_WAITING else b""


def _member(line: bytes) -> tuple[str, object] | None:
    body = line.strip().rstrip(b",")
    if body[:1] != b'"':
        return None
    if b'" => ' in body:  # as Logstash shows them
        key, _, value = body.partition(b" => ")
        said = load(value)
        return key.strip(b'"').decode("utf-8", "replace"), value.decode("utf-8", "replace") if said is None else said
    entry = load(b"{" + body + b"}")
    return next(iter(entry.items()), None) if isinstance(entry, dict) else None
