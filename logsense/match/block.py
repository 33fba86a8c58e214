"""A block of a source in memory, with the end of the one before it, and the pieces in which it is searched."""

from __future__ import annotations

import sys
from bisect import bisect_right

from logsense.model.knowledge import LONGEST_BYTES
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsense.match.engines import Engine, Hits
    from logsense.match.sought import HitLiteral

BLOCK_BYTES = 4 << 20
# What is kept in front of a block: the room behind a hit, and the tail of the log when it ends.
CARRY_BYTES = 256 << 10
AFTER_BYTES = 16 << 10  # of a block, which the next searches: they hold what follows the places in this one
# Searched at once: each literal that stands in a piece is reported once. Behind a piece with hardly any, the next is
# twice as large.
PIECE_BYTES, LARGE_PIECE_BYTES = 64 << 10, 512 << 10
HARDLY_ANY = 2  # literals
CUT_BYTES = 64 << 10  # searched for a line's end at which to cut
LINE_BYTES = 4096
COUNTED_BYTES = 256 << 10  # at once, which stay in a core's own cache


class Piece(NamedTuple):
    """A part of a source, and the literals in it: where the first hit of each begins, or all of them do."""

    begin: int
    end: int
    hits: Hits


class Block:
    """Bytes of a source between `begin` and `end` of `data`; those from `fresh` on were not searched before.

    `base` is the source's offset of `begin`, `line` its line number. `pieces` are there once it was searched,
    and those that hold a literal by its number.
    """

    __slots__ = (
        "_counted",
        "_lowered",
        "base",
        "begin",
        "data",
        "end",
        "fresh",
        "line",
        "pieces",
        "stop",
        "with_literal",
    )

    def __init__(self, data: bytes | bytearray | None = None, room: int | None = None) -> None:
        self.data: bytes | bytearray = bytearray(CARRY_BYTES + (room or BLOCK_BYTES)) if data is None else data
        self.begin = self.end = self.fresh = CARRY_BYTES
        self.base = 0
        self.line = 1
        self.pieces: list[Piece] = []
        self.with_literal: dict[int, list[Piece]] = {}
        self.stop = -1  # searched up to there
        self._lowered = (-1, b"")  # the end of a piece, and its bytes in lower case
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
    def ends_with_newline(self) -> bool:
        """Whether the last line is complete; an empty block counts as complete."""
        return self.end == self.begin or self.data[self.end - 1] == 0x0A

    def space(self) -> memoryview:
        """The room behind `end`."""
        return memoryview(self.data)[self.end :]

    def follow(self, spare: Block | None) -> Block:
        """The block that comes after this full one, in the memory of `spare`, which may be this one, if given."""
        keep = self.end - CARRY_BYTES
        base, line = keep + self.shift, self.line_of(keep)
        after = Block(spare.data if spare else None)
        memoryview(after.data)[:CARRY_BYTES] = memoryview(self.data)[keep : self.end]
        after.begin, after.base, after.line = 0, base, line
        self.stop = self._cut(self.end - AFTER_BYTES)
        after.fresh = self.stop - keep
        return after

    def _cut(self, index: int) -> int:
        """Where to end what is searched at once: behind the last line's end in front of `index`, if one is near."""
        return self.data.rfind(b"\n", max(self.fresh, index - CUT_BYTES), index) + 1 or index

    def search(self, engine: Engine, longest: int) -> None:
        """Look for literals, of up to `longest` bytes, in what no block before has searched."""
        self.stop = self.end if self.stop < 0 else self.stop
        at, size = self.fresh, PIECE_BYTES
        while at < self.stop:
            end = self.stop if self.stop - at <= size else self._cut(at + size)
            self.add(engine, at, end, longest)
            is_quiet = len(self.pieces[-1].hits) <= HARDLY_ANY
            at, size = end, min(2 * size, LARGE_PIECE_BYTES) if is_quiet else PIECE_BYTES

    def add(self, engine: Engine, begin: int, end: int, longest: int) -> None:
        """Add a piece between two indices, which `engine` searches; hits may begin in front of it where it cuts a
        line."""
        is_cut = begin > self.begin and self.data[begin - 1] != 0x0A
        first = max(self.begin, begin - longest) if is_cut else begin
        hits = engine(memoryview(self.data)[first:end], first + self.shift)
        self.pieces.append(Piece(begin + self.shift, end + self.shift, hits))
        for number in hits:
            self.with_literal.setdefault(number, []).append(self.pieces[-1])

    def starts(self, piece: Piece, literal: HitLiteral) -> Sequence[int]:
        """The offsets in the source at which the literal begins in `piece`, ascending."""
        known = piece.hits[literal.number]
        if not isinstance(known, int):
            return known
        data, shift, size = *self._data(piece, literal), len(literal.data)
        begin, end, find = max(known, piece.begin - size + 1) - shift, piece.end - shift, data.find
        starts = []
        while (at := find(literal.data, begin, end)) >= 0:
            starts.append(at + shift)
            begin = at + 1
        return starts

    def starts_backwards(self, piece: Piece, literal: HitLiteral) -> Iterator[int]:
        """The same offsets, descending."""
        known = piece.hits[literal.number]
        if not isinstance(known, int):
            yield from reversed(known)
            return
        data, shift, size = *self._data(piece, literal), len(literal.data)
        begin, end = max(known, piece.begin - size + 1) - shift, piece.end - shift
        while (at := data.rfind(literal.data, begin, end)) >= 0:
            yield at + shift
            end = at + size - 1

    def count(self, piece: Piece, literal: HitLiteral) -> int:
        """How often the literal stands in `piece`."""
        known = piece.hits[literal.number]
        if not isinstance(known, int):
            return len(known)
        data, shift = self._data(piece, literal)
        return data.count(literal.data, known - shift, piece.end - shift)

    def _data(self, piece: Piece, literal: HitLiteral) -> tuple[bytes | bytearray, int]:
        """The bytes to look for the literal in, and what turns an index into them into an offset in the source."""
        if not literal.is_folded:
            return self.data, self.shift
        begin = max(self.base, piece.begin - LONGEST_BYTES)
        if self._lowered[0] != piece.end:
            part = memoryview(self.data)[begin - self.shift : piece.end - self.shift]
            self._lowered = (piece.end, bytes(part).lower())
        return self._lowered[1], begin

    def around(self, offset: int, reach: int) -> bytes:
        """The bytes up to `reach` before and behind the source's byte at `offset`."""
        at = offset - self.shift
        return bytes(memoryview(self.data)[max(self.begin, at - reach) : min(self.end, at + reach)])

    def lines_in(self, begin: int, end: int) -> int:
        """The number of line ends between two indices."""
        if sys.version_info >= (3, 13):
            return self.data.count(b"\n", begin, end)
        # Until then count() looks at byte after byte; replace() leaps from one to the next, and is quicker by far.
        count = 0
        for at in range(begin, end, COUNTED_BYTES):
            piece = self.data[at : min(at + COUNTED_BYTES, end)]
            count += len(piece) - len(piece.replace(b"\n", b""))
        return count

    def line_of(self, index: int) -> int:
        """The number of the line in which the byte at `index` stands."""
        if self._counted[0][0] != self.begin:
            self._counted = [(self.begin, 0)]
        at = bisect_right(self._counted, (index, self.end)) - 1
        known, count = self._counted[at]
        if known != index:
            count += self.lines_in(known, index)
            self._counted.insert(at + 1, (index, count))
        return self.line + count

    def line_start(self, index: int) -> int:
        """The start of the first line that begins at or behind `index`; `index` itself where there is none."""
        if index <= self.begin:
            return self.begin
        cut = self.data.find(b"\n", index - 1, self.end - 1)
        return cut + 1 if cut >= 0 else index

    def state_start(self, index: int) -> int:
        """The start of the first line, or state of a redrawn line, that begins at or behind `index`."""
        line = self.line_start(index)
        drawn = self.data.find(b"\r", index, line) if line - index > LINE_BYTES else -1
        return drawn + 1 if drawn >= 0 else line

    def line_at(self, offset: int) -> tuple[bytes, int]:
        """The raw line, or state of a redrawn one, that holds the source's byte at `offset`, or its part near, and the
        offset of its end."""
        data, shift = self.data, self.base - self.begin
        at = offset - shift
        least, most = max(self.begin, at - LINE_BYTES), min(self.end, at + LINE_BYTES)
        begin = data.rfind(b"\n", least, at) + 1 or least
        begin = data.rfind(b"\r", begin, at) + 1 or begin
        end = data.find(b"\n", at, most)
        end = end if end >= 0 else most
        drawn = data.find(b"\r", at, end)
        end = drawn if drawn >= 0 else end
        return bytes(data[begin:end]), end + shift

    def part(self, begin: int, end: int, place: int) -> Block:
        """A copy of the bytes between two offsets in the source, from the start of a line on that is not behind
        `place`."""
        low = self.line_start(max(self.begin, begin - self.shift))
        low = min(low, place - self.shift)
        part = Block(bytes(memoryview(self.data)[low : min(self.end, end - self.shift)]))
        part.begin, part.end, part.fresh = 0, len(part.data), 0
        part.base, part.line = low + self.shift, self.line_of(low)
        part.pieces = [Piece(part.base, part.base + part.end, {})]
        return part
