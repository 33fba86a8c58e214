"""The records around places of a block, and the messages in them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from logsense.match.block import AFTER_BYTES
from logsense.match.verify import FOLLOWING
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from logsense.match.block import Block
    from logsense.match.verify import Verifier
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog
    from logsense.model.record import Record

    Records = Callable[..., list[Record]]

# A region reaches so far before and behind a place; where its record reaches so near to an edge that it may go on
# there, the next does. The last is taken at once where several ranks print at the same time.
REACHES_BYTES = (3 << 10, 10 << 10, 32 << 10)
EDGE_BYTES = 2 << 10
REGIONS_KEPT = 6
# Where one region's neighbour is asked for, it reaches twice as far beyond, up to this: less is parsed twice.
MOST_BEYOND_BYTES = 128 << 10
OVERLAPPING = 64  # so many records of other ranks may stand between the lines of one
TRIED_KEPT = 20_000


class _Span(NamedTuple):
    """Records parsed from the bytes between `begin` and `end` of the source, for places from `low` up to `high`."""

    begin: int
    end: int
    low: int
    high: int
    records: list[Record]
    starts: list[int]
    reach: int
    tangled: bool


def _is_lone_frame(record: Record) -> bool:
    """Whether a traceback's line stands by itself: behind a column that only more lines show to be one."""
    return record.raised is None and 'File "' in record.text and record.text.find('  File "') > 0


class Regions:
    """Records around places of one block, parsed once for neighbouring places."""

    def __init__(self, block: Block, records: Records, source: str) -> None:
        self.block, self._records, self._source = block, records, source
        self._spans: list[_Span] = []
        self._beyond = 0

    def at(self, offset: int) -> tuple[list[Record], Iterator[int]]:
        """The records around the source's byte at `offset`, and the indices of those that hold it.

        Records of several ranks may overlap, so that there can be more than one.
        """
        span = self._around(offset)
        at = bisect_right(span.starts, offset) - 1
        records = span.records
        least = at - (OVERLAPPING if span.tangled else 1)
        return records, (n for n in range(at, max(-1, least), -1) if records[n].end > offset)

    def _around(self, offset: int) -> _Span:
        reach, last = 0, len(REACHES_BYTES) - 1
        for span in reversed(self._spans):
            if span.low <= offset < span.high:
                if span.reach == last or self._is_whole(span, offset):
                    return span
                reach = max(reach, last if span.tangled else span.reach + 1)
        beyond = self._reach(offset)
        while True:
            span = self._parse(offset, reach, beyond)
            if reach == last or self._is_whole(span, offset):
                return span
            reach = last if span.tangled else reach + 1

    def _parse(self, offset: int, reach: int, beyond: tuple[int, int]) -> _Span:
        block, shift = self.block, self.block.shift
        at = offset - shift
        around, (back, ahead) = REACHES_BYTES[reach], beyond
        begin = block.line_start(max(block.begin, at - around - back))
        begin = begin if begin <= at else max(block.begin, at - around - back)
        end = min(block.end, at + around + ahead)
        records = self._records(
            bytes(block.data[begin:end]), source=self._source, first_line=block.line_of(begin), offset=begin + shift
        )
        # A place too near an edge of the region gets its own, so that what belongs to it is seen.
        span = _Span(
            begin + shift,
            end + shift,
            begin + shift if begin == block.begin else min(offset, begin + around // 2 + shift),
            end + shift if end == block.end else max(offset + 1, end - around // 2 + shift),
            records,
            [record.offset for record in records],
            reach,
            tangled=any(one.end > other.offset for one, other in pairwise(records))
            or (around < REACHES_BYTES[-1] and any(_is_lone_frame(one) for one in records)),
        )
        self._spans.append(span)
        del self._spans[:-REGIONS_KEPT]
        return span

    def _reach(self, offset: int) -> tuple[int, int]:
        """How far a region for `offset` reaches further back and ahead than it needs to."""
        if not self._spans:
            return 0, 0
        last = self._spans[-1]
        behind, before = 0 <= offset - last.high < AFTER_BYTES, 0 < last.low - offset <= AFTER_BYTES
        self._beyond = min(2 * self._beyond + AFTER_BYTES, MOST_BEYOND_BYTES) if behind or before else 0
        return (self._beyond if before else 0), (self._beyond if behind else 0)

    def _is_whole(self, span: _Span, offset: int) -> bool:
        """Whether the record at `offset`, and what belongs to it, surely lies within the span."""
        number = bisect_right(span.starts, offset) - 1
        if span.tangled or number < 0:
            return False
        record = span.records[number]
        block, shift = self.block, self.block.shift
        begins = span.begin - shift == block.begin or record.offset - span.begin >= EDGE_BYTES
        ends = span.end - shift == block.end or (
            span.end - record.end >= EDGE_BYTES and number + FOLLOWING < len(span.records)
        )
        return begins and ends


class Sweep:
    """Finds messages at the hits of a block; a record is looked through for each of them once."""

    def __init__(self, catalog: Catalog, verifier: Verifier, regions: Regions) -> None:
        self._catalog, self._verifier, self._regions = catalog, verifier, regions
        self._tried: set[tuple[int, int, int, int]] = set()

    def find(self, index: int, offset: int) -> tuple[Finding | None, bool]:
        """The finding of the signature in a record that holds the source's byte at `offset`, and whether it was not
        looked for in all such records before."""
        signature = self._catalog.signature(index)
        records, candidates = self._regions.at(offset)
        known = 0
        for number in candidates:
            record = records[number]
            # The parts of a line in which several messages are glued together share their place.
            key = (index, record.offset, record.end, len(record.text))
            if key in self._tried:
                known += 1
                continue
            if len(self._tried) >= TRIED_KEPT:
                self._tried.clear()
            self._tried.add(key)
            finding = self._verifier.find(signature, records, number)
            if finding:
                return finding, True
        return None, not known
