"""Thins out the hits of signatures that occur very often: which of them stand in a line that could be the message?"""

from __future__ import annotations

import math

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
# Of a crowd so many hits are looked at from each side. In a log of very many hits these are fewer, and a few hits of a
# signature that never held are a crowd already.
MOST_LOOKED, MOST_LOOKED_OF_MANY = 1000, 50
CROWD_OF_MANY = 4
SHAPES_KEPT = 50_000  # answers, one for each signature and shape of a line
CUT_BYTES = 1 << 20  # of the lines that are kept cut out
FAILS = 2  # in records, after which a signature is not looked for again in lines of the same shape
MOST_BEYOND = 4  # vain looks for a signature in records whose line alone can't hold it
FOUND_BEYOND = -math.inf  # vain looks once one was not
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
        # By the hash of a signature's index and a line's shape: whether it may hold, and how often it did not.
        self._may_hold: dict[int, bool] = {}
        self._fails: dict[int, int] = {}
        self._beyond: dict[int, float] = {}  # by index: vain looks where the line can't hold it

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
        names_digits = self._verifier.names_digits(signature)
        begin, end = -1, -1
        looked = 0
        most_looked = self.most_looked
        for offset in reversed(offsets) if backwards else offsets:
            if len(kept) >= most or looked >= most_looked:
                break
            looked += 1
            if begin <= offset < end:
                continue
            line = lines.at(offset)
            begin, end = line.begin, line.end
            holds = self._may_hold.get(hash((index, line.raw if names_digits else line.shape)))
            if holds is None:
                holds = self._may(signature, index, line)
            if holds:
                kept.append(offset)
        self._tally.looked(index, looked, len(kept))
        return kept[::-1] if backwards else kept, looked

    def is_futile(self, index: int, line: Line) -> bool:
        """Return whether looking for the signature in the record with `line` would fail, as it did before: in records
        with lines of the same shape, or in all records whose line alone can't hold it."""
        signature = self._catalog.signature(index)
        if self._fails.get(self._key(signature, index, line), 0) >= FAILS:
            return True
        return self._beyond.get(index, 0) >= MOST_BEYOND and not self._may(signature, index, line)

    def looked(self, index: int, line: Line, found: bool) -> None:
        """Record whether the signature was found in the record with `line`."""
        signature = self._catalog.signature(index)
        if not self._may(signature, index, line):
            # A signature that was found beyond its line once is always looked for there.
            self._beyond[index] = FOUND_BEYOND if found else self._beyond.get(index, 0) + 1
        is_redrawn = line.raw.find(b"\r", 0, -1) >= 0  # records keep few of its states
        if not found and not is_redrawn and not self._verifier.spans_lines(signature):
            if len(self._fails) >= SHAPES_KEPT:
                self._fails.clear()
            key = self._key(signature, index, line)
            self._fails[key] = self._fails.get(key, 0) + 1

    def _may(self, signature: Signature, index: int, line: Line) -> bool:
        key = self._key(signature, index, line)
        holds = self._may_hold.get(key)
        if holds is None:
            if len(self._may_hold) >= SHAPES_KEPT:
                self._may_hold.clear()
            text = shorten_blanks(line.raw.decode("utf-8", "replace"))
            holds = self._may_hold[key] = self._verifier.may_hold(signature, text, text.lower())
        return holds

    def _key(self, signature: Signature, index: int, line: Line) -> int:
        """Return the key of an answer: of the line, or only of its shape if no digit matters to the signature."""
        return hash((index, line.raw if self._verifier.names_digits(signature) else line.shape))

    def _few(self, index: int) -> int:
        if self._tally.is_wary(index):
            return 0
        return CROWD_OF_MANY if self._tally.many and not self._tally.holds(index) else CROWD
