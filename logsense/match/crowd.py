"""Thins out the hits of signatures that occur very often: which of them stand in a line that could be the message?"""

from __future__ import annotations

from logsense.model.blanks import squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsense.match.tally import Tally
    from logsense.match.verify import Verifier
    from logsense.model.catalog import Catalog

    # The raw line that holds a byte of the source, and the offset of its end.
    LineAt = Callable[[int], tuple[bytes, int]]

# More hits of one signature in a block are first looked at line by line, which is quick but sees no wrapped message.
CROWD = 100
# Of a crowd so many hits are looked at from each side. In a log of very many hits these are fewer, and a few hits of a
# signature that never held are a crowd already.
MOST_LOOKED, MOST_LOOKED_OF_MANY = 1000, 50
CROWD_OF_MANY = 4
LINES_KEPT = 256


class Crowd:
    """Thins out hits of one catalog's signatures in one source; what it sees goes into `tally`."""

    def __init__(self, catalog: Catalog, verifier: Verifier, tally: Tally) -> None:
        self._catalog, self._verifier, self._tally = catalog, verifier, tally
        self.many = False

    def thinned(
        self, index: int, offsets: Sequence[int], most: int, line_at: LineAt, *, backwards: bool = False
    ) -> tuple[Sequence[int], int]:
        """One hit for each line in which the signature could hold, ascending, and how many hits were looked at.

        The first `most` of them, or the last `most`; all of `offsets` where they are few.
        """
        if len(offsets) <= self._few(index):
            return offsets, len(offsets)
        signature = self._catalog.signature(index)
        kept: list[int] = []
        known: dict[bytes, bool] = {}
        begin, end = -1, -1
        looked = 0
        most_looked = MOST_LOOKED_OF_MANY if self.many else MOST_LOOKED
        for offset in reversed(offsets) if backwards else offsets:
            if len(kept) >= most or looked >= most_looked:
                break
            looked += 1
            if begin <= offset < end:
                continue
            line, end = line_at(offset)
            begin = end - len(line)
            holds = known.get(line)
            if holds is None:
                if len(known) >= LINES_KEPT:
                    known.clear()
                holds = known[line] = self._verifier.may_hold(signature, squeezed(line.decode("utf-8", "replace")))
            if holds:
                kept.append(offset)
        self._tally.looked(index, looked, len(kept))
        return kept[::-1] if backwards else kept, looked

    def _few(self, index: int) -> int:
        if self._tally.is_wary(index):
            return 0
        return CROWD_OF_MANY if self.many and not self._tally.holds(index) else CROWD
