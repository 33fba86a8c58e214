"""A record: one log entry with its continuation lines joined and its prefixes taken off into fields."""

from __future__ import annotations

from logsense.util.noun import NamedTuple

# What Python prints above a traceback: https://github.com/python/cpython/blob/main/Lib/traceback.py
TRACEBACK = "Traceback (most recent call last)"


class Frame(NamedTuple):
    """One Python traceback frame: the file as printed, its line number (None if not printed), the function."""

    file: str
    line: int | None
    function: str


class Raised(NamedTuple):
    """The exception that a traceback ends with.

    `type` is the dotted name as printed ("torch.OutOfMemoryError"), `message` what follows its colon.
    `chained` holds the exceptions printed before it in a chain ("During handling of …"), oldest first;
    `direct` tells that the link to the last of them was "direct cause".
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    chained: tuple[Raised, ...] = ()
    direct: bool = False


class Prefix(NamedTuple):
    """What stood in front of a line's message; None where it was not printed."""

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

    `text` is the cleaned message: colours, prefixes and carriage returns gone, lines joined by newlines.
    `lines[i]` is the 1-based line number in the source of the i-th line of `text`.
    `offset` is the byte offset of the record's first line in the source, `end` that of its last byte + 1.
    """

    text: str
    source: str
    lines: tuple[int, ...]
    offset: int
    end: int
    prefix: Prefix = NO_PREFIX
    raised: Raised | None = None

    @property
    def line(self) -> int:
        """The 1-based number of the record's first line."""
        return self.lines[0]

    def line_at(self, position: int) -> int:
        """The 1-based line number in the source of the character at `position` in `text`."""
        return self.lines[min(self.text.count("\n", 0, position), len(self.lines) - 1)]

    def text_at(self, position: int) -> str:
        """The single line of `text` that holds the character at `position`."""
        start = self.text.rfind("\n", 0, position) + 1
        end = self.text.find("\n", position)
        return self.text[start:] if end < 0 else self.text[start:end]
