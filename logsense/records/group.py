"""The lines of one entry, while it is put together."""

from __future__ import annotations

from logsense.unwrap.text import Line

MOST_LINES, FIRST_LINES = 400, 100
MOST_TEXT = 64 * 1024
PLAIN, ENTRY, OPEN, DONE, TABLE = range(5)


class Group:
    """The lines of one entry. `base` is the indentation of a traceback's header, in characters."""

    __slots__ = ("base", "blanks", "drawn", "error", "frames", "free", "kind", "lines", "linked", "notebook", "size")

    def __init__(self, lines: list[Line], kind: int = PLAIN, *, size: int = 0) -> None:
        self.lines = lines
        self.kind = kind
        self.base = 0
        self.size = size
        self.blanks: list[Line] = []
        self.free = 0  # lines joined although nothing marks them as going on
        self.error = 0  # which line names the exception
        self.frames = False
        self.notebook = False
        self.drawn = False  # a group of exceptions, whose lines are drawn as a tree
        self.linked = False  # the last line announces another traceback

    def add(self, line: Line) -> None:
        """Add `line`, with the blank ones above it; of a long entry, keep the first and the last lines."""
        if self.blanks:
            self.lines += self.blanks
            self.size += len(self.blanks)
            self.blanks = []
        self.lines.append(line)
        self.size += len(line.text) + 1
        while len(self.lines) > MOST_LINES or (self.size > MOST_TEXT and len(self.lines) > 2):
            at = min(FIRST_LINES, len(self.lines) - 2)
            self.size -= len(self.lines.pop(at).text) + 1
            self.error -= self.error > at

    def has_room(self, line: Line) -> bool:
        """Return whether `line` fits, for which lines between the first and the last ones may go."""
        size = len(line.text)
        return self.size + size < MOST_TEXT or (len(self.lines) > FIRST_LINES and size < MOST_TEXT // 2)
