"""A text's lines without their labels, apart and joined: a terminal, a box or a collector breaks them within a word."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Label = Callable[[str], int]

LEAST_FULL = 20  # characters of a line that may have been broken for want of room
WIDTHS = (79, 80, 100, 120, 132, 160)  # of terminals
# How many lines are joined. Each line begins such a group in one of the views. More than two hold one word only where
# those in between have no blanks.
TOGETHER = (1, 2, 3, 8)
_EDGE = " \t│┃║|"
_CONTINUED = _EDGE + "\\"
# What `srun --label` and pdsh put in front of a line.
_NUMBERED = re.compile(r"\s{0,5}(?:\d{1,5}|(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}): ")


class View(NamedTuple):
    """A text without labels, edges and most line breaks; where each of its lines begins there, and in the text.

    `full` are the lines on which there was no room: as wide as a terminal, or than which none is longer.
    """

    text: str
    begins: list[int]
    places: list[int]
    full: frozenset[int]
    together: int

    def line_of(self, at: int) -> int:
        """The number of the line that the character at `at` comes from."""
        return bisect_right(self.begins, at) - 1

    def place_of(self, at: int) -> int:
        """Where the character at `at` stands in the text itself."""
        line = self.line_of(at)
        return self.places[line] + at - self.begins[line]

    def parts(self, start: int, end: int) -> list[str]:
        """What stands from `start` to `end`, a line at a time."""
        first, last = self.line_of(start), self.line_of(end - 1)
        cuts = [start, *self.begins[first + 1 : last + 1], end]
        return [self.text[cut:next_cut] for cut, next_cut in pairwise(cuts) if cut < next_cut]


def no_label(_line: str) -> int:
    """How much of a line is not its text: nothing, where nothing is known of labels."""
    return 0


def views(text: str, label: Label = no_label) -> Iterator[View]:
    """The ways to read `text`; `label` says how many characters in front of a line are not its text."""
    lines = text.split("\n")
    longest = max(map(len, lines))
    full = frozenset(
        number for number, line in enumerate(lines) if len(line) == longest >= LEAST_FULL or len(line) in WIDTHS
    )
    parts, places = [], []
    place = 0
    for line in lines:
        at = label(line) or ((found := _NUMBERED.match(line)) and found.end()) or 0
        part = line[at:].lstrip(_EDGE)
        places.append(place + len(line) - len(part))
        parts.append(part.rstrip(_CONTINUED))
        place += len(line) + 1
    most = TOGETHER[-1] if any(len(part) >= LEAST_FULL and len(part.split()) == 1 for part in parts[1:-1]) else 2
    for together in TOGETHER:
        if together <= min(most, len(lines) + 1):
            for first in range(together):
                yield _view(parts, places, full, together, first)


def _view(parts: list[str], places: list[int], full: frozenset[int], together: int, first: int) -> View:
    pieces: list[str] = []
    begins: list[int] = []
    at = 0
    for number, part in enumerate(parts):
        if number and number % together == first % together:
            pieces.append("\n")
            at += 1
        begins.append(at)
        pieces.append(part)
        at += len(part)
    return View("".join(pieces), begins, places, full, together)
