"""Pretty-printed JSON: objects with one member a line, as responses of log stores and Logstash's rubydebug.

The lines of an entry are found at the line of its message.
"""

from __future__ import annotations

import re

from logsense.unwrap.json_entry import (
    ERROR_KEYS,
    LEVEL_KEYS,
    STREAM_KEYS,
    TEXT_KEYS,
    TIME_KEYS,
    lines_of,
    load_json,
)
from logsense.unwrap.shape import Line, LineStep

name = "pretty-printed JSON"

_PUNCTUATION = b" \t\r\n[]{},"
_MESSAGES = (*TEXT_KEYS, "data", "line", "content")
_WHEN = (*TIME_KEYS, *STREAM_KEYS, *LEVEL_KEYS)
_OPENS = re.compile(rb'\s*"[^"]*":\s*[\[{]\s*$')


def begins(head: bytes) -> bool:
    """Return whether most of the first lines are members of objects, with times and messages among them."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return False
    lines = [line for line in head.split(b"\n")[:400] if line.strip(_PUNCTUATION)]
    keys = [member[0] for line in lines if (member := _member(line))]
    return len(keys) * 2 >= len(lines) and not {*_WHEN}.isdisjoint(keys) and not {*_MESSAGES}.isdisjoint(keys)


def step(_: bytes) -> LineStep:
    """Return what unwraps such a log."""
    members = _Members()
    return LineStep(members.consume, members.rest)


class _Members:
    """Collect the members of each object, up to the bracket that closes the object of its message."""

    def __init__(self) -> None:
        self._entry: dict[str, object] = {}
        self._number = self._indent = 0  # of the message; 0 if there is none yet

    def consume(self, line: Line) -> list[Line]:
        """Return the lines of the object that `line` ends; a line that isn't JSON unchanged."""
        member = _member(line.text)
        indent = len(line.text) - len(line.text.lstrip())
        if member is None:
            if line.text.strip(_PUNCTUATION) and not _OPENS.match(line.text):
                return [*self.rest(), line]
            return self.rest() if self._number and indent < self._indent else []
        key, value = member
        is_text = isinstance(value, (str, list))
        is_message = is_text and (key in _MESSAGES or (key in ERROR_KEYS and bool(value)))
        ended = self.rest() if self._number and key in self._entry else []
        if is_message and not self._number:
            self._number, self._indent = line.number, indent
        if is_message or key in _WHEN:
            self._entry[key] = value
        return ended

    def rest(self) -> list[Line]:
        """Return the lines of the object so far."""
        entry, number = self._entry, self._number
        self._entry, self._number = {}, 0
        if entry.keys().isdisjoint(_MESSAGES):
            entry["message"] = next((entry.pop(key) for key in ERROR_KEYS if key in entry), "")
        texts = lines_of(entry) if number else None
        return [Line(text, number) for text in texts or ()]


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
