"""Pasted text: its lines with the numbers under which people find them, and how a shape of it is declared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from logsense.util.noun import NamedTuple
from logsense.util.regexes import Lazy


class Paste(NamedTuple):
    """A text, and the number of each of its lines in what was pasted."""

    text: str
    numbers: Sequence[int]

    def replaced(self, edits: Iterable[tuple[int, int, str]]) -> Paste:
        """Return the text with each span (start, end) replaced by a text; the spans are in order and apart.

        Lines of a replacement have the numbers of the lines they replace; those beyond them that of the last.
        """
        pieces: list[str] = []
        numbers = [self.numbers[0]]
        at = line = 0
        for start, end, new in edits:
            kept = self.text.count("\n", at, start)
            numbers += self.numbers[line + 1 : line + 1 + kept]
            line += kept
            last = line + self.text.count("\n", start, end)
            added = [self.numbers[min(line + number, last)] for number in range(1, new.count("\n") + 1)]
            if new.endswith("\n") and self.text.endswith("\n", start, end):
                added[-1] = self.numbers[last]
            numbers += added
            pieces += [self.text[at:start], new]
            at, line = end, last
        return Paste("".join([*pieces, self.text[at:]]), [*numbers, *self.numbers[line + 1 :]])

    def sub(self, rule: Lazy, new: Callable[[re.Match[str]], str]) -> Paste:
        """Return the text with each match of `rule` replaced."""
        return self.replaced((found.start(), found.end(), new(found)) for found in rule.finditer(self.text))

    def with_lines(self, lines: Iterable[str | None]) -> Paste:
        """Return the text with a new line for each old one; None drops one, and one may contain line breaks."""
        kept = [(line, number) for line, number in zip(lines, self.numbers, strict=True) if line is not None]
        numbers = [number for line, number in kept for _ in range(line.count("\n") + 1)]
        return Paste("\n".join([line for line, _ in kept]), numbers or [1])


class PasteShape(NamedTuple):
    """A shape of pasted text, which holds one of `signs`; `lines` undoes it, or returns another text unchanged."""

    name: str
    signs: tuple[str, ...]
    lines: Callable[[Paste], Paste]

    def begins(self, text: str) -> bool:
        """Return whether `text` may have this shape."""
        return any(sign in text for sign in self.signs)


def each_line(change: Callable[[str], str]) -> Callable[[Paste], Paste]:
    """Return `change`, which keeps the number of lines, as a change of a paste."""
    return lambda paste: paste._replace(text=change(paste.text))
