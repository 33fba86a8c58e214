"""Keeps the bytes around places where the newest sightings of messages may be, until the source has ended.

The newest blocks are kept whole. Of one that is too old for that, what stands around places stays that no newer
places replace: which are the last is known in the end only.
"""

from __future__ import annotations

from bisect import bisect_right

from logsense.match.block import Block
from logsense.match.sightings import EXACT, Sightings
from logsense.model.reading import FAILING
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsense.match.sought import HitLiteral, Sought

BLOCKS = 3  # kept whole
MOST_BYTES = 12 << 20  # around places in older blocks; what is oldest is given up first
FAR_BYTES, CLOSE_BYTES = 32 << 10, 12 << 10  # on each side of places: of failures, of other messages
MOST_LOOKED, FEW_LOOKED = 1000, 100  # hits of a literal with enough first sightings, at once: of failures, of others


class _Window(NamedTuple):
    """Bytes of the source, as a block, and the places in them."""

    block: Block
    places: list[int]


class Newest:
    """The newest blocks of a source, and parts of older ones."""

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings
        self._blocks: list[Block] = []
        self._windows: list[_Window] = []  # ascending

    def take(self, block: Block) -> Block | None:
        """Keep `block`, if it holds any literal; return the one not kept any longer, whose memory may be used again."""
        if not block.with_literal:
            return block
        self._blocks.append(block)
        if len(self._blocks) <= BLOCKS:
            return None
        oldest = self._blocks[0]
        self._cut(oldest)
        return self._blocks.pop(0)

    def places(self) -> Iterator[tuple[Block, int, Sought]]:
        """Yield the places where the last sightings may be, newest first, with the bytes around them."""
        for literal in list(self._sightings.literals.values()):
            if not literal.is_open:
                self._catch_up(literal)
        parts = {at: window.block for window in self._windows for at in window.places}
        begins = [block.pieces[0].begin for block in self._blocks]
        found = [(at, one.index) for one in self._sightings.soughts.values() if not one.is_open for at in one.newest]
        for at, index in sorted(found, reverse=True):
            block = self._blocks[bisect_right(begins, at) - 1] if begins and at >= begins[0] else parts.get(at)
            if block:
                yield block, at, self._sightings.soughts[index]

    def _catch_up(self, literal: HitLiteral) -> None:
        """Note the newest places of a literal's messages in the blocks that are kept whole."""
        found: dict[int, list[int]] = {one.index: [] for one in literal.soughts}
        left = MOST_LOOKED if any(one.signature.kind in EXACT for one in literal.soughts) else FEW_LOOKED
        for block in reversed(self._blocks):
            for piece in reversed(block.with_literal.get(literal.number, ())):
                if left <= 0 or piece.end <= literal.checked:
                    break
                some, looked = self._sightings.newest_in(block, piece, literal, left)
                left -= looked
                for index, places in some.items():
                    found[index] += places
                if all(len(found[one.index]) >= one.noted for one in literal.soughts):
                    left = 0
        literal.checked = max([literal.checked, *(block.pieces[-1].end for block in self._blocks[-1:])])
        for one in literal.soughts:
            one.note(found[one.index][::-1])

    def _cut(self, block: Block) -> None:
        begin, end = block.pieces[0].begin, block.pieces[-1].end
        soughts: dict[int, Sought] = {}
        for literal in map(self._sightings.literal, block.with_literal):
            # What was given up is looked for in the newest blocks only.
            if not literal.is_open and any(one.held and not one.has_enough_from(end) for one in literal.soughts):
                self._catch_up(literal)
            soughts |= {one.index: one for one in literal.soughts if not one.is_open}
        places: dict[int, int] = {}
        for one in soughts.values():
            reach = FAR_BYTES if one.signature.kind in FAILING else CLOSE_BYTES
            places |= {at: max(reach, places.get(at, 0)) for at in one.newest if begin <= at < end}
        self._windows = [*self._still_wanted(), *_windows(block, places)]
        size = sum(window.block.end for window in self._windows)
        while size > MOST_BYTES:
            size -= self._windows.pop(0).block.end

    def _still_wanted(self) -> list[_Window]:
        wanted = {at for one in self._sightings.soughts.values() for at in one.newest}
        return [window for window in self._windows if not wanted.isdisjoint(window.places)]


def _windows(block: Block, places: dict[int, int]) -> list[_Window]:
    """What stands around `places`, which reaches so far from each, as blocks apart from each other."""
    spans: list[tuple[int, int, list[int]]] = []
    for at, reach in sorted(places.items()):
        begin, end = at - reach, at + reach
        if spans and begin <= spans[-1][1]:
            begin, before, here = spans.pop()
            spans.append((begin, max(end, before), [*here, at]))
        else:
            spans.append((begin, end, [at]))
    return [_Window(block.part(begin, end, here[0]), here) for begin, end, here in spans]
