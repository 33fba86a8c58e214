"""Read a text with its lines joined and their prefixes removed: terminals and log collectors break lines in words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise

from logsense.util.noun import NamedTuple

PrefixLength = Callable[[str], int]

LEAST_FULL = 20  # characters of a line that may have been wrapped
TERMINAL_WIDTHS = (79, 80, 100, 120, 132, 160)
# How many lines are joined. Each line starts such a group in one of the views. More than two are joined only if those
# in between have no spaces.
JOINED_LINES = (1, 2, 3, 8)
_EDGE = " \t│┃║|"
_CONTINUED = _EDGE + "\\"
# A value whose name is on the line above, as in YAML. In one of the views, only such lines are joined to the next.
_VALUE = re.compile(r"[\"']?value[\"']?\s{0,3}[:=]", re.IGNORECASE)
# The prefixes of `srun --label` and pdsh.
_NUMBERED = re.compile(r"\s{0,5}(?:\d{1,5}|(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}): ")


class View(NamedTuple):
    """A text without line prefixes, borders and most line breaks.

    `starts` are the offsets of its lines in `text`, `original_starts` those in the original text. `full` are the lines
    that filled the width: as long as a terminal is wide, or the longest.
    """

    text: str
    starts: list[int]
    original_starts: list[int]
    full: frozenset[int]
    joined_lines: int

    def line_of(self, at: int) -> int:
        """Return the line number (from 0) of the character at `at`."""
        return bisect_right(self.starts, at) - 1

    def original_offset(self, at: int) -> int:
        """Return the offset in the original text of the character at `at`."""
        line = self.line_of(at)
        return self.original_starts[line] + at - self.starts[line]

    def parts(self, start: int, end: int) -> list[str]:
        """Return the text from `start` to `end`, split by line."""
        first, last = self.line_of(start), self.line_of(end - 1)
        cuts = [start, *self.starts[first + 1 : last + 1], end]
        return [self.text[cut:next_cut] for cut, next_cut in pairwise(cuts) if cut < next_cut]


def no_prefix(_line: str) -> int:
    """Return 0: the line has no known prefix."""
    return 0


def views(text: str, prefix_length: PrefixLength = no_prefix) -> Iterator[View]:
    """Yield the ways to join the lines of `text`. `prefix_length` returns the length of a line's prefix."""
    lines = text.split("\n")
    longest = max(map(len, lines))
    full = frozenset(
        number
        for number, line in enumerate(lines)
        if len(line) == longest >= LEAST_FULL or len(line) in TERMINAL_WIDTHS
    )
    parts, starts = [], []
    place = 0
    for line in lines:
        at = prefix_length(line) or ((found := _NUMBERED.match(line)) and found.end()) or 0
        part = line[at:].lstrip(_EDGE)
        starts.append(place + len(line) - len(part))
        parts.append(part.rstrip(_CONTINUED))
        place += len(line) + 1
    most = JOINED_LINES[-1] if any(len(part) >= LEAST_FULL and len(part.split()) == 1 for part in parts[1:-1]) else 2
    for joined_lines in JOINED_LINES:
        if joined_lines <= min(most, len(lines) + 1):
            for first in range(joined_lines):
                breaks = {number for number in range(1, len(parts)) if number % joined_lines == first % joined_lines}
                yield _view(parts, starts, full, joined_lines, breaks)
    values = {number for number, part in enumerate(parts, 1) if _VALUE.match(part)}
    if values:
        yield _view(parts, starts, full, 2, set(range(1, len(parts))) - values)


def _view(
    parts: list[str], original_starts: list[int], full: frozenset[int], joined_lines: int, breaks: set[int]
) -> View:
    pieces: list[str] = []
    starts: list[int] = []
    at = 0
    for number, part in enumerate(parts):
        if number in breaks:
            pieces.append("\n")
            at += 1
        starts.append(at)
        pieces.append(part)
        at += len(part)
    return View("".join(pieces), starts, original_starts, full, joined_lines)
