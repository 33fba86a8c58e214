"""Keeps the newest hits of a source with the bytes around them, to be looked at closely once it has ended.

Of a message that comes again and again only the first and the last sightings matter, and which are the last is known
in the end only. So what lies in between costs no more than to be counted.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from logsense.match.block import AFTER_BYTES, BEFORE_BYTES, Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# So many bytes are kept in all; what is oldest is given up first.
MOST_BYTES = 24 << 20


class _Span(NamedTuple):
    """A part of the source from `begin` up to `end`, with a hit in it."""

    begin: int
    end: int
    hit: int


class _Window(NamedTuple):
    """Bytes of the source from `base` on, whose first line is `line`."""

    base: int
    line: int
    data: bytes


class _Kept(NamedTuple):
    """The hits of one block that may be among the last, ascending, by signature; and the bytes around them."""

    hits: dict[int, Sequence[int]]
    windows: list[_Window]

    @property
    def size(self) -> int:
        return sum(len(window.data) for window in self.windows)


class Late:
    """The newest hits, up to `each` of every signature."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._kept: list[_Kept] = []

    def keep(self, block: Block, hits: Mapping[int, Sequence[int]]) -> None:
        """Take in the newest hits of `block`, ascending source offsets by signature; older ones may go."""
        newest = {index: offsets[-self._each :] for index, offsets in hits.items() if offsets}
        if not newest:
            return
        self._prune(newest)
        self._kept.append(_Kept(newest, _cut(block, _around(newest))))
        while len(self._kept) > 1 and sum(kept.size for kept in self._kept) > MOST_BYTES:
            del self._kept[0]

    def newest_first(self) -> list[tuple[list[Block], dict[int, Sequence[int]]]]:
        """What was kept: the bytes as blocks, ascending, and the hits in them."""
        return [([_block(window) for window in kept.windows], kept.hits) for kept in reversed(self._kept)]

    def _prune(self, newer: Mapping[int, Sequence[int]]) -> None:
        """Drop the hits that so many newer ones follow that they can't be among the last."""
        counts = {index: len(offsets) for index, offsets in newer.items()}
        pruned: list[_Kept] = []
        for kept in reversed(self._kept):
            hits: dict[int, Sequence[int]] = {}
            for index, offsets in kept.hits.items():
                room = self._each - counts.get(index, 0)
                if room > 0:
                    hits[index] = offsets[-room:]
                    counts[index] = counts.get(index, 0) + len(hits[index])
            if hits == kept.hits:
                pruned.append(kept)
            elif hits:
                pruned.append(_Kept(hits, _narrowed(kept.windows, _around(hits))))
        self._kept = pruned[::-1]


def _around(hits: Mapping[int, Sequence[int]]) -> list[_Span]:
    """The spans of the source, apart from each other, that hold what may belong to the hits."""
    spans: list[_Span] = []
    for offset in sorted({offset for offsets in hits.values() for offset in offsets}):
        begin, end = offset - BEFORE_BYTES, offset + 2 * AFTER_BYTES
        if spans and begin <= spans[-1].end:
            spans[-1] = spans[-1]._replace(end=end)
        else:
            spans.append(_Span(begin, end, offset))
    return spans


def _cut(block: Block, spans: list[_Span]) -> list[_Window]:
    windows = []
    for span in spans:
        low = block.line_start(max(block.begin, span.begin - block.shift))
        low = min(low, span.hit - block.shift)
        high = min(block.end, span.end - block.shift)
        windows.append(_Window(low + block.shift, block.line_of(low), bytes(memoryview(block.data)[low:high])))
    return windows


def _narrowed(windows: list[_Window], spans: list[_Span]) -> list[_Window]:
    """The parts of `windows` that lie in `spans`."""
    bases = [window.base for window in windows]
    narrowed = []
    for span in spans:
        window = windows[bisect_right(bases, span.hit) - 1]
        low = max(0, span.begin - window.base)
        if low:
            low = min(window.data.find(b"\n", low) + 1 or low, span.hit - window.base)
        line = window.line + window.data.count(b"\n", 0, low)
        narrowed.append(_Window(window.base + low, line, window.data[low : span.end - window.base]))
    return narrowed


def _block(window: _Window) -> Block:
    block = Block(bytearray(window.data))
    block.begin, block.end, block.fresh = 0, len(window.data), 0
    block.base, block.line = window.base, window.line
    return block
