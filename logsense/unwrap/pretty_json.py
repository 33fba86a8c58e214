"""Decodes logs of pretty-printed JSON objects, with one member a line."""

from __future__ import annotations

import re
from collections.abc import Callable

from logsense.unwrap.json_keys import (
    ERROR_KEYS,
    LEVEL_KEYS,
    STREAM_KEYS,
    TEXT_KEYS,
    TIME_KEYS,
    load_json,
    one_line,
    time_text,
)

_TEXTS = (*TEXT_KEYS, *ERROR_KEYS, "data", "line", "content")
_OPENS = re.compile(rb'\s*"[^"]*":\s*[\[{]\s*$')
_MOST_WAITING = 100  # lines between a message and its time


def decoder(lines: list[bytes]) -> Callable[[bytes], bytes] | None:
    """Return a function that turns the lines, in order, into plain text; None if `lines` do not start such a log."""
    lines = [line for line in lines if line.strip(b" \t\r\n[]{},")]
    members = [entry for entry in map(_member, lines) if entry]
    keys = {key for key, _ in members}
    timed = bool(keys & {*TIME_KEYS, *STREAM_KEYS, *LEVEL_KEYS})
    if len(members) * 2 < len(lines) or not timed or not keys & {*TEXT_KEYS, "data", "line", "content"}:
        return None
    return PrettyJson()


class PrettyJson:
    """Emits the message of each object after its time, whichever comes first, and empty lines for the rest."""

    def __init__(self) -> None:
        self._time = ""
        self._indent = 0
        self._waiting: list[bytes] | None = None  # a message that waits for its time, and the lines after it

    def __call__(self, line: bytes) -> bytes:
        """Return the text of the next line, and of those that waited for it."""
        end = line[len(line.rstrip(b"\r\n")) :]
        entry = _member(line)
        if entry is None:
            if line.strip(b" \t\r\n[]{},") and not _OPENS.match(line):
                return self.rest() + line
            if len(line) - len(line.lstrip()) < self._indent:  # the object's end
                done, self._time = self.rest(), ""
                return done + end
            return self._later(end)
        key, value = entry
        if key in TIME_KEYS and (time := time_text(value)):
            self._time = self._time or time
            return self.rest() + end
        if key in _TEXTS and isinstance(value, (str, list)) and not (key in ERROR_KEYS and not value):
            done = self.rest()
            self._indent = len(line) - len(line.lstrip())
            self._waiting = [one_line(value).encode("utf-8", "replace") + end]
            return done + (self.rest() if self._time else b"")
        return self._later(end)

    def rest(self) -> bytes:
        """Return the waiting lines, after the time if there is one."""
        waiting, self._waiting = self._waiting, None
        if not waiting:
            return b""
        return (f"{self._time} ".encode() if self._time and waiting[0].strip() else b"") + b"".join(waiting)

    def _later(self, end: bytes) -> bytes:
        if self._waiting is None:
            return end
        self._waiting.append(end)
        return self.rest() if len(self._waiting) > _MOST_WAITING else b""


def _member(line: bytes) -> tuple[str, object] | None:
    body = line.strip().rstrip(b",")
    if body[:1] != b'"':
        return None
    if b'" => ' in body:  # as Logstash prints them
        key, _, value = body.partition(b" => ")
        decoded = load_json(value)
        shown = value.decode("utf-8", "replace") if decoded is None else decoded
        return key.strip(b'"').decode("utf-8", "replace"), shown
    entry = load_json(b"{" + body + b"}")
    return next(iter(entry.items()), None) if isinstance(entry, dict) else None
