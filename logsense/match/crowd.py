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
    from logsense.model.signature import Signature

    # The raw line that holds a byte of the source, and the offset of its end.
    Cut = Callable[[int], tuple[bytes, int]]

# More hits of one signature in a block are first looked at line by line, which is quick but sees no wrapped message.
CROWD = 100
MOST_LOOKED = 1000  # hits of a crowd, from each side
SHAPES_KEPT = 50_000  # answers, one for each signature and shape of a line
CUT_BYTES = 1 << 20  # of the lines that are kept cut out
_DIGITS = bytes.maketrans(b"123456789", b"000000000")


class Line(NamedTuple):
    """A raw line from `begin` to `end` of the source, and its `shape`, in which every digit is 0."""

    begin: int
    end: int
    raw: bytes
    shape: bytes


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
            self._size += len(raw)
            if self._size > CUT_BYTES:
                self._known.clear()
                self._size = len(raw)
            line = self._known[offset] = Line(end - len(raw), end, raw, raw.translate(_DIGITS))
        return line


class Crowd:
    """Thins out hits of one catalog's signatures in one source; what it sees goes into `tally`."""

    def __init__(self, catalog: Catalog, verifier: Verifier, tally: Tally) -> None:
        self._catalog, self._verifier, self._tally = catalog, verifier, tally
        # By the hash of a signature's index and a line's shape, or the line itself if the signature names a digit.
        self._may_hold: dict[int, bool] = {}

    def thinned(
        self, index: int, offsets: Sequence[int], most: int, lines: Lines, *, backwards: bool = False
    ) -> tuple[Sequence[int], int]:
        """One hit for each line in which the signature could hold, ascending, and how many hits were looked at.

        The first `most` of them, or the last `most`; all of `offsets` where they are few.
        """
        if len(offsets) <= CROWD and not self._tally.is_wary(index):
            return offsets, len(offsets)
        signature = self._catalog.signature(index)
        names_digits, known = self._verifier.names_digits(signature), self._may_hold
        kept: list[int] = []
        begin, end = -1, -1
        looked = 0
        for offset in reversed(offsets) if backwards else offsets:
            if len(kept) >= most or looked >= MOST_LOOKED:
                break
            looked += 1
            if begin <= offset < end:
                continue
            line = lines.at(offset)
            begin, end = line.begin, line.end
            key = hash((index, line.raw if names_digits else line.shape))
            holds = known.get(key)
            if holds is None:
                if len(known) >= SHAPES_KEPT:
                    known.clear()
                holds = known[key] = self._holds(signature, line)
            if holds:
                kept.append(offset)
        self._tally.looked(index, looked, len(kept))
        return kept[::-1] if backwards else kept, looked

    def _holds(self, signature: Signature, line: Line) -> bool:
        text = shorten_blanks(line.raw.decode("utf-8", "replace"))
        return self._verifier.may_hold(signature, text, text.lower())
