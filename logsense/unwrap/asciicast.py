"""Terminal recording: the text shown in a recording made by asciinema.

Formats 2 and 3: a header, then one JSON event a line, [seconds, code, data]. A line of text is found at the event in
which it begins. https://docs.asciinema.org/manual/asciicast/v2/
"""

from __future__ import annotations

from logsense.unwrap.json_entry import load_json
from logsense.unwrap.shape import Line, LineStep

name = "terminal recording"

VERSIONS = (2, 3)
OUTPUT = "o"  # event code; other codes are input, markers and resizes


def begins(head: bytes) -> bool:
    """Return whether `head` starts a recording."""
    first, _, rest = head.partition(b"\n")
    if b'"version"' not in first or (rest and rest.lstrip(b" #")[:1] not in (b"[", b"")):
        return False
    header = load_json(first)
    if not isinstance(header, dict) or header.get("version") not in VERSIONS:
        return False
    return "width" in header or "term" in header


def step(_: bytes) -> LineStep:
    """Return what unwraps a recording."""
    events = _Events()
    return LineStep(events.consume, events.rest)


class _Events:
    """Join the pieces of text that the events show."""

    def __init__(self) -> None:
        self._held = Line(b"", 0)  # the beginning of a line of text

    def consume(self, line: Line) -> list[Line]:
        """Return the lines of text that an event completes."""
        event = load_json(line.text) if line.text.lstrip()[:1] == b"[" else None
        if not (isinstance(event, list) and len(event) == 3 and event[1] == OUTPUT and isinstance(event[2], str)):
            return []
        first, *others = event[2].encode("utf-8", "replace").split(b"\n")
        held = Line(self._held.text + first, self._held.number if self._held.text else line.number)
        lines = [held, *(Line(text, line.number) for text in others)]
        self._held = lines.pop()
        return lines

    def rest(self) -> list[Line]:
        """Return the last line of text."""
        return [self._held] if self._held.text else []
