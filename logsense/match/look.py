"""Looks for messages at places of a block: at once in the raw line, exactly in the record that holds it."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.match.block import Block, Records, Regions
from logsense.match.verify import Verifier
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.line import shorten_blanks

SHAPES_KEPT = 50_000  # answers, one for each signature and shape of a line
RECORDS_KEPT = 20_000  # answers, one for each signature and record
_DIGITS = bytes.maketrans(b"123456789", b"000000000")


class LineShapes:
    """Remembers in which lines signatures could hold. Lines of one shape, in which every digit is 0, get one answer."""

    def __init__(self, catalog: Catalog, verifier: Verifier) -> None:
        self.catalog, self.verifier = catalog, verifier
        # By the hash of signatures and of a line's shape, or the line itself if one of the signatures names a digit.
        self._likely: dict[int, tuple[int, ...]] = {}
        self._names_digits: dict[Sequence[int], bool] = {}

    def likely(self, indices: tuple[int, ...], line: bytes, shape: bytes) -> tuple[int, ...]:
        """Return which of the signatures could hold in a record with this raw line of this shape."""
        names_digits = self._names_digits.get(indices)
        if names_digits is None:
            signatures = map(self.catalog.signature, indices)
            names_digits = self._names_digits[indices] = any(map(self.verifier.names_digits, signatures))
        key = hash((indices, line if names_digits else shape))
        known = self._likely.get(key)
        if known is None:
            if len(self._likely) >= SHAPES_KEPT:
                self._likely.clear()
            text = shorten_blanks(line.decode("utf-8", "replace"))
            folded = text.lower()
            known = self._likely[key] = tuple(
                index for index in indices if self.verifier.may_hold(self.catalog.signature(index), text, folded)
            )
        return known


class Look:
    """Looks for signatures at offsets in one block, best in their order: neighbours share a line and records."""

    def __init__(self, shapes: LineShapes, block: Block, records: Records, source: str) -> None:
        self.block, self._shapes = block, shapes
        self._regions = Regions(block, records, source)
        self._begin = self._end = -1  # of the last line
        self._line = self._shape = b""
        self._found: dict[tuple[int, int, int, int], Finding | None] = {}

    def likely(self, indices: tuple[int, ...], offset: int) -> tuple[int, ...]:
        """Return which of the signatures could hold in the line at `offset`; it does not look beyond that line."""
        if not self._begin <= offset < self._end:
            self._line, self._end = self.block.line_at(offset)
            self._begin = self._end - len(self._line)
            self._shape = self._line.translate(_DIGITS)
        return self._shapes.likely(indices, self._line, self._shape)

    def spans_lines(self, index: int) -> bool:
        """Return whether it takes more than a line to tell that the signature holds."""
        return self._shapes.verifier.spans_lines(self._shapes.catalog.signature(index))

    def find(self, index: int, offset: int) -> Finding | None:
        """Return the finding of the signature in a record that holds `offset`."""
        signature, verifier = self._shapes.catalog.signature(index), self._shapes.verifier
        records, candidates = self._regions.at(offset)
        for number in candidates:
            record = records[number]
            # The parts of a line in which several messages are glued together share their place.
            key = (index, record.offset, record.end, len(record.text))
            if key not in self._found:
                if len(self._found) >= RECORDS_KEPT:
                    self._found.clear()
                self._found[key] = verifier.find(signature, records, number)
            found = self._found[key]
            if found:
                return found
        return None
