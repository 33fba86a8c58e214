"""A block of a source in memory, with the end of the one before it, and the records around places in it."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise

from logsense.match.pieces import Engine, Piece, pieces_of
from logsense.match.squeeze import Squeezed
from logsense.match.verify import FOLLOWING
from logsense.model.record import Record
from logsense.util.noun import NamedTuple

Records = Callable[..., list[Record]]

BLOCK_BYTES = 4 << 20
# What is kept in front of a block: the room behind a hit, and the tail of the log when it ends.
CARRY_BYTES = 256 << 10
AFTER_BYTES = 16 << 10
# Records are parsed in windows of so many bytes, with so much around them; with more where a record reaches so near to
# an edge that it may go on there, or several ranks print at the same time.
WINDOW_BYTES, NEAR_BYTES, FAR_BYTES = 4 << 10, 4 << 10, 32 << 10
EDGE_BYTES = 2 << 10
SPANS_KEPT = 8
OVERLAPPING = 64  # so many records of other ranks may stand between the lines of one
LINE_BYTES = 4096
COUNTED_BYTES = 256 << 10  # at once, which stay in a core's own cache


class Block:
    """Bytes of a source between `begin` and `end` of `data`; what begins from `fresh` on was not searched before.

    `base` is the source's offset of `begin`, `line` its line number.
    """

    __slots__ = ("_counted", "base", "begin", "data", "end", "fresh", "line")

    def __init__(self, data: bytes | bytearray | None = None, room: int | None = None) -> None:
        self.data: bytes | bytearray = bytearray(CARRY_BYTES + (room or BLOCK_BYTES)) if data is None else data
        self.begin = self.end = self.fresh = CARRY_BYTES
        self.base = 0
        self.line = 1
        self._counted = [(0, 0)]  # indices into `data`, in order, with the line ends from `begin` up to there

    @property
    def full(self) -> bool:
        """Whether nothing more fits in."""
        return self.end == len(self.data)

    @property
    def is_roomy(self) -> bool:
        """Whether its memory serves a block of any source, and not just of one that was taken to be small."""
        return len(self.data) >= CARRY_BYTES + BLOCK_BYTES

    @property
    def shift(self) -> int:
        """What turns an index into `data` into an offset in the source."""
        return self.base - self.begin

    @property
    def settled(self) -> int:
        """What begins from this index on waits for the next block, which will hold what follows it."""
        return self.end - AFTER_BYTES

    @property
    def ends_with_newline(self) -> bool:
        """Whether the last line is complete; an empty block counts as complete."""
        return self.end == self.begin or self.data[self.end - 1] == 0x0A

    def space(self) -> memoryview:
        """Return the room behind `end`."""
        return memoryview(self.data)[self.end :]

    def follow(self, spare: Block | None) -> Block:
        """Return the block after this full one, in the memory of `spare`, which may be this one, if given."""
        keep = self.end - CARRY_BYTES
        base, line = keep + self.shift, self.line_of(keep)
        after = Block(spare.data if spare else None)
        memoryview(after.data)[:CARRY_BYTES] = memoryview(self.data)[keep : self.end]
        after.begin, after.fresh, after.base, after.line = 0, CARRY_BYTES - AFTER_BYTES, base, line
        return after

    def pieces(self, engine: Engine, end: int, closely_from: int | None = None) -> list[Piece]:
        """Return what `engine` finds that begins before index `end` and was not searched before.

        From `closely_from` on, words are found that blanks, line ends or colors separate.
        """
        closely = end if closely_from is None else max(closely_from, self.fresh)
        found = pieces_of(engine, self.data, self.fresh, closely, self.end, lambda at: at + self.shift)
        if closely < end:
            squeezed = Squeezed(bytes(self.data[closely:end]))
            size, base = len(squeezed.text), closely + self.shift
            found += pieces_of(engine, squeezed.text, 0, size, size, lambda at: base + squeezed.origin(at))
        return found

    def window(self, offset: int, before: int, behind: int) -> Block:
        """Return a copy of so many bytes around the byte at `offset` of the source."""
        at = offset - self.shift
        begin = self.line_start(max(self.begin, at - before))
        begin = begin if begin <= at else max(self.begin, at - before)
        block = Block(bytes(memoryview(self.data)[begin : min(self.end, at + behind)]))
        block.begin = block.fresh = 0
        block.end, block.base, block.line = len(block.data), begin + self.shift, self.line_of(begin)
        return block

    def lines_in(self, begin: int, end: int) -> int:
        """Return the number of line ends between two indices."""
        if sys.version_info >= (3, 13):
            return self.data.count(b"\n", begin, end)
        # Until then count() looks at byte after byte; replace() leaps from one to the next, and is quicker by far.
        count = 0
        for at in range(begin, end, COUNTED_BYTES):
            piece = self.data[at : min(at + COUNTED_BYTES, end)]
            count += len(piece) - len(piece.replace(b"\n", b""))
        return count

    def line_of(self, index: int) -> int:
        """Return the number of the line that holds the byte at `index`."""
        if self._counted[0][0] != self.begin:
            self._counted = [(self.begin, 0)]
        at = bisect_right(self._counted, (index, self.end)) - 1
        known, count = self._counted[at]
        if known != index:
            count += self.lines_in(known, index)
            self._counted.insert(at + 1, (index, count))
        return self.line + count

    def line_start(self, index: int) -> int:
        """Return the start of the first line that begins at or behind `index`; `index` itself if there is none."""
        if index <= self.begin:
            return self.begin
        cut = self.data.find(b"\n", index - 1, self.end - 1)
        return cut + 1 if cut >= 0 else index

    def state_start(self, index: int) -> int:
        """Return the start of the first line, or state of a redrawn line, that begins at or behind `index`."""
        line = self.line_start(index)
        drawn = self.data.find(b"\r", index, line) if line - index > LINE_BYTES else -1
        return drawn + 1 if drawn >= 0 else line

    def line_at(self, offset: int) -> tuple[bytes, int]:
        """Return the raw line around the source's byte at `offset`, or its near part, and the offset of its end."""
        at = offset - self.shift
        begin = self.data.rfind(b"\n", max(self.begin, at - LINE_BYTES), at) + 1 or max(self.begin, at - LINE_BYTES)
        stop = min(self.end, at + LINE_BYTES)
        end = self.data.find(b"\n", at, stop)
        end = end if end >= 0 else stop
        return bytes(self.data[begin:end]), end + self.shift


class _Span(NamedTuple):
    """Records parsed from the bytes between `begin` and `end` of the source; `tangled` if several ranks print them."""

    begin: int
    end: int
    records: list[Record]
    starts: list[int]
    tangled: bool


class Regions:
    """Records around places of one block, parsed window by window."""

    def __init__(self, block: Block, records: Records, source: str) -> None:
        self.block, self._records, self._source = block, records, source
        self._spans: dict[tuple[int, int], _Span] = {}  # by window, and how much around it was parsed

    def at(self, offset: int) -> tuple[list[Record], Iterator[int]]:
        """Return the records around the source's byte at `offset`, and the indices of those that hold it.

        Records of several ranks may overlap, so that there can be more than one.
        """
        window = (offset - self.block.base) // WINDOW_BYTES
        span = self._span(window, NEAR_BYTES)
        if not self._is_whole(span, offset):
            span = self._span(window, FAR_BYTES)
        at = bisect_right(span.starts, offset) - 1
        records = span.records
        least = at - (OVERLAPPING if span.tangled else 1)
        return records, (n for n in range(at, max(-1, least), -1) if records[n].end > offset)

    def _span(self, window: int, around: int) -> _Span:
        if (window, around) not in self._spans:
            if len(self._spans) >= SPANS_KEPT:
                del self._spans[next(iter(self._spans))]
            self._spans[window, around] = self._parse(window, around)
        return self._spans[window, around]

    def _parse(self, window: int, around: int) -> _Span:
        block, shift = self.block, self.block.shift
        low = block.begin + window * WINDOW_BYTES
        begin = block.line_start(max(block.begin, low - around))
        begin = begin if begin <= low else max(block.begin, low - around)
        end = min(block.end, low + WINDOW_BYTES + around)
        records = self._records(
            bytes(block.data[begin:end]), source=self._source, first_line=block.line_of(begin), offset=begin + shift
        )
        tangled = any(one.end > other.offset for one, other in pairwise(records)) or any(map(_is_lone_frame, records))
        return _Span(begin + shift, end + shift, records, [record.offset for record in records], tangled)

    def _is_whole(self, span: _Span, offset: int) -> bool:
        """Return whether the record at `offset`, and what belongs to it, surely lies within the span."""
        begins_block, ends_block = span.begin == self.block.base, span.end - self.block.shift == self.block.end
        if begins_block and ends_block:
            return True
        number = bisect_right(span.starts, offset) - 1
        if number < 0:
            return False
        record = span.records[number]
        if span.tangled and (record.prefix.rank is not None or _is_lone_frame(record)):
            return False
        begins = begins_block or record.offset - span.begin >= EDGE_BYTES
        ends = ends_block or (span.end - record.end >= EDGE_BYTES and number + FOLLOWING < len(span.records))
        return begins and ends


def _is_lone_frame(record: Record) -> bool:
    """Return whether a traceback's line stands by itself: behind a column that only more lines show to be one."""
    return record.raised is None and 'File "' in record.text and record.text.find('  File "') > 0
