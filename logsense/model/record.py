"""A record: one log entry, its continuation lines joined and its prefixes parsed into fields."""

from __future__ import annotations

from logsense.model.line import Places, place_in
from logsense.util.noun import NamedTuple

# What Python prints above a traceback: https://github.com/python/cpython/blob/main/Lib/traceback.py
TRACEBACK = "Traceback (most recent call last)"


class Frame(NamedTuple):
    """A Python traceback frame: the file as printed, the line number (None if not printed), the function."""

    file: str
    line: int | None
    function: str


class Raised(NamedTuple):
    """The exception that a traceback ends with.

    `type` is the dotted name as printed ("torch.OutOfMemoryError"), `message` what follows the colon. `chained` holds
    the exceptions printed before it in a chain ("During handling of …"), oldest first.
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    chained: tuple[Raised, ...] = ()


class Prefix(NamedTuple):
    """What preceded a line's message; None for what was not printed."""

    time: str | None = None
    host: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    stream: str | None = None
    level: str | None = None
    logger: str | None = None


NO_PREFIX = Prefix()


class Record(NamedTuple):
    """One log entry.

    `text` is the cleaned message: without colors, prefixes and carriage returns, lines joined by newlines. `lines[i]`
    is the line number (from 1) of the i-th line of `text` in the text that was read, and `offset` the byte offset there
    of the record's first line, `end` that of its last byte + 1. Where people find a line is what `place` says; `places`
    are those of the source, if it was unwrapped.
    """

    text: str
    source: str
    lines: tuple[int, ...]
    offset: int
    end: int
    prefix: Prefix = NO_PREFIX
    raised: Raised | None = None
    places: Places | None = None

    @property
    def line(self) -> int:
        """The line number of the record's first line, from 1."""
        return self.lines[0]

    @property
    def key(self) -> tuple[str, int]:
        """What identifies the record among those of a job: its source and offset."""
        return self.source, self.offset

    def place(self, line: int) -> tuple[str, int]:
        """Return where people find line `line` of the text that was read: the source or its part, and the number."""
        return place_in(self.source, self.places, line)

    def line_at(self, position: int) -> int:
        """Return the line number, from 1, of the character at `position` in `text`."""
        return self.lines[min(self.text.count("\n", 0, position), len(self.lines) - 1)]

    def text_at(self, position: int) -> str:
        """Return the line of `text` that holds the character at `position`."""
        start = self.text.rfind("\n", 0, position) + 1
        end = self.text.find("\n", position)
        return self.text[start:] if end < 0 else self.text[start:end]
