"""Shortens very long runs of blanks, which mean nothing and make regexes with several `\\s*` slow."""

from __future__ import annotations

import re

LONGEST = 120  # blanks in a row that a text keeps
LONG_LINE = 400  # characters; a shorter line is left as it is
_RUN = r"[^\S\n]{120,}"


def squeezed(line: str) -> str:
    """`line` with no more than LONGEST blanks in a row, where it is long at all."""
    return re.sub(_RUN, lambda run: run[0][:LONGEST], line) if len(line) > LONG_LINE else line
