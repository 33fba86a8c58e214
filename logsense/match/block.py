"""A block of a source in memory, with the end of the one before it, and the records around places in it."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from logsense.model.record import Record

    Records = Callable[..., list[Record]]

BLOCK_BYTES = 4 << 20
# What is kept in front of a block: the room behind a hit, and the tail of the log when it ends.
CARRY_BYTES = 256 << 10
BEFORE_BYTES = 32 << 10
AFTER_BYTES = 16 << 10
REGIONS_KEPT = 64
OVERLAPPING = 12
LINE_BYTES = 4096


class Block:
    """Bytes of a source between `begin` and `end` of `data`; those from `fresh` on were not searched before.

    `base` is the source's offset of `begin`, `line` its line number. `hits` are the engine's, relative to what
    `unsearched` gave it.
    """

    __slots__ = ("base", "begin", "data", "end", "fresh", "hits", "line")

    def __init__(self, data: bytearray | None = None, room: int | None = None) -> None:
        self.data = bytearray(CARRY_BYTES + (room or BLOCK_BYTES)) if data is None else data
        self.begin = self.end = self.fresh = CARRY_BYTES
        self.base = 0
        self.line = 1
        self.hits: list[tuple[int, int]] = []

    @property
    def full(self) -> bool:
        """Whether nothing more fits in."""
        return self.end == len(self.data)

    @property
    def shift(self) -> int:
        """What turns an index into `data` into an offset in the source."""
        return self.base - self.begin

    @property
    def settled(self) -> int:
        """Hits from this index on wait for the next block, which will hold what follows them."""
        return self.end - AFTER_BYTES

    @property
    def ends_with_newline(self) -> bool:
        """Whether the last line is complete; an empty block counts as complete."""
        return self.end == self.begin or self.data[self.end - 1] == 0x0A

    def space(self) -> memoryview:
        """The room behind `end`."""
        return memoryview(self.data)[self.end :]

    def follow(self, spare: Block | None) -> Block:
        """The block that comes after this full one, in the memory of `spare` if given."""
        keep = self.end - CARRY_BYTES
        after = Block(spare.data if spare else None)
        after.data[:CARRY_BYTES] = memoryview(self.data)[keep : self.end]
        after.begin = 0
        after.base = keep + self.shift
        after.line = self.line + self.lines_in(self.begin, keep)
        return after

    def unsearched_from(self, longest: int) -> int:
        """Where a search has to begin so that no literal of up to `longest` bytes is cut."""
        return max(self.begin, self.fresh - longest)

    def unsearched(self, longest: int) -> memoryview:
        """The bytes that an engine has to look at."""
        return memoryview(self.data)[self.unsearched_from(longest) : self.end]

    def lines_in(self, begin: int, end: int) -> int:
        """The number of line ends between two indices."""
        return self.data.count(b"\n", begin, end)

    def line_start(self, index: int) -> int:
        """The start of the first line that begins at or behind `index`; `index` itself where there is none."""
        if index <= self.begin:
            return self.begin
        cut = self.data.find(b"\n", index - 1, self.end - 1)
        return cut + 1 if cut >= 0 else index

    def line_at(self, offset: int) -> str:
        """The text of the raw line, or its part near, that holds the source's byte at `offset`."""
        at = offset - self.shift
        begin = self.data.rfind(b"\n", max(self.begin, at - LINE_BYTES), at) + 1 or max(self.begin, at - LINE_BYTES)
        end = self.data.find(b"\n", at, min(self.end, at + LINE_BYTES))
        return self.data[begin : end if end >= 0 else at + LINE_BYTES].decode("utf-8", "replace")


class Regions:
    """Records around places of one block, parsed once for neighbouring places."""

    def __init__(self, block: Block, records: Records, source: str) -> None:
        self.block, self._records, self._source = block, records, source
        self._spans: list[tuple[int, int, list[Record], list[int]]] = []
        self._counted = (block.begin, block.line)

    def at(self, offset: int) -> tuple[list[Record], Iterator[int]]:
        """The records around the source's byte at `offset`, and the indices of those that hold it.

        Records of several ranks may overlap, so that there can be more than one.
        """
        records, starts = self._around(offset)
        at = bisect_right(starts, offset) - 1
        return records, (n for n in range(at, max(-1, at - OVERLAPPING), -1) if records[n].end > offset)

    def _around(self, offset: int) -> tuple[list[Record], list[int]]:
        for low, high, records, starts in reversed(self._spans):
            if low <= offset < high:
                return records, starts
        block, shift = self.block, self.block.shift
        at = offset - shift
        begin = block.line_start(max(block.begin, at - BEFORE_BYTES))
        begin = begin if begin <= at else max(block.begin, at - BEFORE_BYTES)
        end = min(block.end, at + 2 * AFTER_BYTES)
        records = self._records(
            bytes(block.data[begin:end]), source=self._source, first_line=self._line(begin), offset=begin + shift
        )
        starts = [record.offset for record in records]
        # A place too near an edge of the region gets its own, so that what belongs to it is seen.
        low = begin + shift if begin == block.begin else min(offset, begin + BEFORE_BYTES // 2 + shift)
        high = end + shift if end == block.end else max(offset + 1, end - AFTER_BYTES + shift)
        self._spans.append((low, high, records, starts))
        del self._spans[:-REGIONS_KEPT]
        return records, starts

    def _line(self, index: int) -> int:
        counted, line = self._counted
        if index < counted:
            counted, line = self.block.begin, self.block.line
        line += self.block.lines_in(counted, index)
        self._counted = (index, line)
        return line
