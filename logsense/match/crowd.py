"""Thins out the hits of signatures that occur very often: which of them stand in a line that could be the message?"""

from __future__ import annotations

from logsense.model.line import shorten_blanks
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsense.match.tally import Tally
    from logsense.match.verify import Verifier
    from logsense.model.knowledge import Catalog

    # The raw line that holds a byte of the source, and the offset of its end.
    Cut = Callable[[int], tuple[bytes, int]]

# More hits of one signature in a block are first looked at line by line, which is quick but sees no wrapped message.
CROWD = 100
# Of a crowd so many hits are looked at from each side. In a log of very many hits these are fewer, and a few hits of a
# signature that never held are a crowd already.
MOST_LOOKED, MOST_LOOKED_OF_MANY = 1000, 50
CROWD_OF_MANY = 4
LINES_KEPT = 256
CUT_CHARACTERS = 1 << 20  # of the lines that are kept cut out


class Line(NamedTuple):
    """A raw line from `begin` to `end` of the source: its text, and that in lower case."""

    begin: int
    end: int
    text: str
    folded: str


class Lines:
    """The lines in which hits stand. Many signatures share their hits, so each line is cut out once."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self._known: dict[int, Line] = {}
        self._size = 0

    def at(self, offset: int) -> Line:
        """The line that holds the source's byte at `offset`."""
        line = self._known.get(offset)
        if line is None:
            raw, end = self._cut(offset)
            text = shorten_blanks(raw.decode("utf-8", "replace"))
            self._size += len(text)
            if self._size > CUT_CHARACTERS:
                self._known.clear()
                self._size = len(text)
            line = self._known[offset] = Line(end - len(raw), end, text, text.lower())
        return line


class Crowd:
    """Thins out hits of one catalog's signatures in one source; what it sees goes into `tally`."""

    def __init__(self, catalog: Catalog, verifier: Verifier, tally: Tally) -> None:
        self._catalog, self._verifier, self._tally = catalog, verifier, tally

    @property
    def most_looked(self) -> int:
        """How many hits of a signature in a block are looked at, at most."""
        return MOST_LOOKED_OF_MANY if self._tally.many else MOST_LOOKED

    def thinned(
        self, index: int, offsets: Sequence[int], most: int, lines: Lines, *, backwards: bool = False
    ) -> tuple[Sequence[int], int]:
        """One hit for each line in which the signature could hold, ascending, and how many hits were looked at.

        The first `most` of them, or the last `most`; all of `offsets` where they are few.
        """
        if len(offsets) <= self._few(index):
            return offsets, len(offsets)
        signature = self._catalog.signature(index)
        kept: list[int] = []
        known: dict[str, bool] = {}
        begin, end = -1, -1
        looked = 0
        most_looked = self.most_looked
        for offset in reversed(offsets) if backwards else offsets:
            if len(kept) >= most or looked >= most_looked:
                break
            looked += 1
            if begin <= offset < end:
                continue
            begin, end, text, folded = lines.at(offset)
            holds = known.get(text)
            if holds is None:
                if len(known) >= LINES_KEPT:
                    known.clear()
                holds = known[text] = self._verifier.may_hold(signature, text, folded)
            if holds:
                kept.append(offset)
        self._tally.looked(index, looked, len(kept))
        return kept[::-1] if backwards else kept, looked

    def _few(self, index: int) -> int:
        if self._tally.is_wary(index):
            return 0
        return CROWD_OF_MANY if self._tally.many and not self._tally.holds(index) else CROWD
