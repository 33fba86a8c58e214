"""Named parts of a source, and lines with long runs of blanks."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from logsense.util.noun import NamedTuple


class Part(NamedTuple):
    """A part of a source, from line `first_line` (from 1) to the next part.

    `failed` says that it ended with an error; `code` is the beginning of the code that ran there, if it is known.
    """

    first_line: int
    name: str
    failed: bool = False
    code: str = ""


def shown_place(source: str, parts: Sequence[Part], line: int) -> tuple[str, int]:
    """Return where people find line `line` of `source`: the source with the name of the part, and the line in it."""
    part = next((part for part in reversed(parts) if part.first_line <= line), None)
    return (f"{source} {part.name}", line - part.first_line + 1) if part else (source, line)


def shown_parts(source: str, parts: Sequence[Part]) -> list[tuple[str, int, int]]:
    """Return, for each part, the source with the part's name, and its first and last line."""
    ends = [*(part.first_line - 1 for part in parts[1:]), sys.maxsize]
    return [(f"{source} {part.name}", part.first_line, end) for part, end in zip(parts, ends, strict=False)]


LONGEST = 120  # blanks kept of a run
LONG_LINE = 400  # characters; a shorter line stays unchanged
_RUN = r"[^\S\n]{120,}"


def shorten_blanks(line: str) -> str:
    """Cut runs of blanks in a long `line` to LONGEST."""
    return re.sub(_RUN, lambda run: run[0][:LONGEST], line) if len(line) > LONG_LINE else line
