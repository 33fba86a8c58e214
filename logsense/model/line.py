"""The lines of a source: the parts that people know by names of their own, and very long runs of blanks."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from logsense.util.noun import NamedTuple


class Part(NamedTuple):
    """A part of a source, from its line `first_line` (from 1) to the next part.

    `failed` tells that it ended with an error, `code` is the beginning of what was run there, where it is known.
    """

    first_line: int
    name: str
    failed: bool = False
    code: str = ""


def shown_place(source: str, parts: Sequence[Part], line: int) -> tuple[str, int]:
    """What people find line `line` of `source` by: the source with the name of its part, and the line there."""
    part = next((part for part in reversed(parts) if part.first_line <= line), None)
    return (f"{source} {part.name}", line - part.first_line + 1) if part else (source, line)


def shown_parts(source: str, parts: Sequence[Part]) -> list[tuple[str, int, int]]:
    """What people call each of the `parts` of `source`, with its first and last line there."""
    ends = [*(part.first_line - 1 for part in parts[1:]), sys.maxsize]
    return [(f"{source} {part.name}", part.first_line, end) for part, end in zip(parts, ends, strict=False)]


LONGEST = 120  # blanks in a row that a text keeps
LONG_LINE = 400  # characters; a shorter line is left as it is
_RUN = r"[^\S\n]{120,}"


def shorten_blanks(line: str) -> str:
    """`line` with no more than LONGEST blanks in a row, where it is long at all."""
    return re.sub(_RUN, lambda run: run[0][:LONGEST], line) if len(line) > LONG_LINE else line
