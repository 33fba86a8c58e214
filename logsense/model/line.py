"""Where people find the lines of a text: in its source, or in a part of it, such as the cell of a notebook."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from logsense.util.noun import NamedTuple

# Runs kept from the beginning of a text, and at least so many of the newest; between them places are approximate.
MOST_RUNS = 1 << 18


class Part(NamedTuple):
    """A part of a source, from line `first_line` (from 1) of its text to the next part.

    `failed` says that it ended with an error; `code` is the beginning of the code that ran there, if it is known.
    """

    first_line: int
    name: str
    failed: bool = False
    code: str = ""


class Places:
    """The number under which people find each line of a text that was unwrapped or reversed, and the text's parts.

    Numbers count from 1 in the source, or in each part. Consecutive numbers, equal ones and those that count down take
    one entry together.
    """

    __slots__ = ("_begins", "_next", "_numbers", "_step", "_steps", "lines", "parts")

    def __init__(self) -> None:
        self.lines = 0
        self.parts: list[Part] = []
        self._begins, self._numbers, self._steps = array("Q"), array("Q"), array("b")
        self._next, self._step = -1, 1  # the number that continues the last run

    def add(self, number: int, count: int = 1) -> None:
        """Append `count` lines of the text that people find at `number` and below."""
        line = self.lines + 1
        self.lines += count
        if number == self._next and (count == 1 or self._step == 1):
            self._next += self._step * count
            return
        second = bool(self._begins) and line == self._begins[-1] + 1
        if second and count == 1 and 0 <= self._numbers[-1] - number <= 1:
            self._step = self._steps[-1] = number - self._numbers[-1]
            self._next = number + self._step
            return
        for column, value in ((self._begins, line), (self._numbers, number), (self._steps, 1)):
            column.append(value)
            if len(column) > 3 * MOST_RUNS:
                del column[MOST_RUNS : 2 * MOST_RUNS]
        self._next, self._step = number + count, 1

    @property
    def runs(self) -> int:
        """How many entries the numbers take."""
        return len(self._begins)

    def number(self, line: int) -> int:
        """Return the number under which people find line `line` of the text."""
        run = bisect_right(self._begins, line) - 1
        return self._numbers[run] + (line - self._begins[run]) * self._steps[run] if run >= 0 else line


def place_in(source: str, places: Places | None, line: int) -> tuple[str, int]:
    """Return where people find line `line` of the text of `source`: the source or its part, and the number there."""
    if places is None:
        return source, line
    part = next((part for part in reversed(places.parts) if part.first_line <= line), None)
    return (f"{source} {part.name}" if part else source), places.number(line)


LONGEST = 120  # blanks kept of a run
LONG_LINE = 400  # characters; a shorter line stays unchanged
_RUN = r"[^\S\n]{120,}"


def shorten_blanks(line: str) -> str:
    """Cut runs of blanks in a long `line` to LONGEST."""
    return re.sub(_RUN, lambda run: run[0][:LONGEST], line) if len(line) > LONG_LINE else line
