"""Goes over the hits of a block in their order: which of a crowd can hold, and what is found at each."""

from __future__ import annotations

from logsense.model.blanks import squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from logsense.match.block import Block, Regions
    from logsense.match.engines import Hits
    from logsense.match.verify import Verifier
    from logsense.model.catalog import Catalog
    from logsense.model.finding import Finding

# More hits of one signature in a block are first looked at line by line, which is quick but sees no wrapped message.
CROWD = 100
# Of a crowd so many hits are looked at from each side. In a log of very many hits these are fewer, and a few hits of a
# signature that never held are a crowd already.
MOST_LOOKED, MOST_LOOKED_OF_MANY = 1000, 100
CROWD_OF_MANY = 4
LINES_KEPT = 256
TRIED_KEPT = 20_000


def together(hits: Hits, more: Hits, shift: int) -> Hits:
    """`hits` with those of `more`, which are relative to a place `shift` bytes later."""
    from array import array

    for number, starts in more.items():
        hits[number] = array("Q", sorted({*hits.get(number, ()), *(start + shift for start in starts)}))
    return hits


def in_order(hits: Mapping[int, Sequence[int]], *, backwards: bool = False) -> Iterator[tuple[int, int]]:
    """The hits of all signatures as (signature, offset), by their offsets."""
    if not hits:
        return
    step = max(hits) + 1
    # One number for both takes a third of the memory.
    for both in sorted([offset * step + index for index, found in hits.items() for offset in found], reverse=backwards):
        offset, index = divmod(both, step)
        yield index, offset


class Crowd:
    """Thins out the hits of signatures that occur very often in a block."""

    def __init__(self, catalog: Catalog, verifier: Verifier, block: Block, *, many: bool = False) -> None:
        self._catalog, self._verifier, self._block = catalog, verifier, block
        self._many = many
        self._most_looked = MOST_LOOKED_OF_MANY if many else MOST_LOOKED

    def thinned(
        self, index: int, offsets: Sequence[int], most: int, *, held: bool, backwards: bool = False
    ) -> tuple[Sequence[int], int]:
        """One hit for each line in which the signature could hold, ascending, and how many hits were looked at.

        The first `most` of them, or the last `most`; all of `offsets` where they are few. `held` tells that the
        signature was found before.
        """
        if len(offsets) <= (CROWD_OF_MANY if self._many and not held else CROWD):
            return offsets, len(offsets)
        signature = self._catalog.signature(index)
        kept: list[int] = []
        known: dict[bytes, bool] = {}
        begin, end = -1, -1
        looked = 0
        for offset in reversed(offsets) if backwards else offsets:
            if len(kept) >= most or looked >= self._most_looked:
                break
            looked += 1
            if begin <= offset < end:
                continue
            line, end = self._block.line_at(offset)
            begin = end - len(line)
            holds = known.get(line)
            if holds is None:
                if len(known) >= LINES_KEPT:
                    known.clear()
                holds = known[line] = self._verifier.may_hold(signature, squeezed(line.decode("utf-8", "replace")))
            if holds:
                kept.append(offset)
        return kept[::-1] if backwards else kept, looked


class Sweep:
    """Finds signatures at the hits of a block; a record is looked through for each of them once."""

    def __init__(self, catalog: Catalog, verifier: Verifier, regions: Regions) -> None:
        self._catalog, self._verifier, self._regions = catalog, verifier, regions
        self._tried: set[tuple[int, int, int]] = set()

    def find(self, index: int, offset: int) -> Finding | None:
        """The finding of the signature in a record that holds the source's byte at `offset`; None where it was
        looked for there before."""
        signature = self._catalog.signature(index)
        records, candidates = self._regions.at(offset)
        for number in candidates:
            key = (index, records[number].offset, records[number].end)
            if key in self._tried:
                continue
            if len(self._tried) >= TRIED_KEPT:
                self._tried.clear()
            self._tried.add(key)
            finding = self._verifier.find(signature, records, number)
            if finding:
                return finding
        return None
