"""Goes over the hits of a block in their order, and finds what each of them is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from logsense.match.block import Regions
    from logsense.match.verify import Verifier
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog

TRIED_KEPT = 20_000


def in_order(hits: Mapping[int, Sequence[int]], *, backwards: bool = False) -> Iterator[tuple[int, int]]:
    """The hits of all signatures as (signature, offset), by their offsets."""
    if not hits:
        return
    step = max(hits) + 1
    # One number for both takes a third of the memory.
    for both in sorted([offset * step + index for index, found in hits.items() for offset in found], reverse=backwards):
        offset, index = divmod(both, step)
        yield index, offset


class Sweep:
    """Finds signatures at the hits of a block; a record is looked through for each of them once."""

    def __init__(self, catalog: Catalog, verifier: Verifier, regions: Regions) -> None:
        self._catalog, self._verifier, self._regions = catalog, verifier, regions
        self._tried: set[tuple[int, int, int, int]] = set()

    def find(self, index: int, offset: int) -> Finding | None:
        """The finding of the signature in a record that holds the source's byte at `offset`; None where it was
        looked for there before."""
        signature = self._catalog.signature(index)
        records, candidates = self._regions.at(offset)
        for number in candidates:
            record = records[number]
            # The parts of a line in which several messages are glued together share their place.
            key = (index, record.offset, record.end, len(record.text))
            if key in self._tried:
                continue
            if len(self._tried) >= TRIED_KEPT:
                self._tried.clear()
            self._tried.add(key)
            finding = self._verifier.find(signature, records, number)
            if finding:
                return finding
        return None
