"""Keeps the newest hits of a source with the bytes around them, to be looked at closely once it has ended.

Of a message that comes again and again only the first and the last sightings matter, and which are the last is known
in the end only. So what lies in between costs no more than to be counted.
"""

from __future__ import annotations

from bisect import bisect_right

from logsense.match.block import AFTER_BYTES, BEFORE_BYTES, Block
from logsense.match.crowd import MOST_LOOKED, Lines
from logsense.model.knowledge import LONGEST_BYTES
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from logsense.match.crowd import Crowd
    from logsense.match.hits import Hits
    from logsense.match.tally import Tally

    # Source offsets, ascending, by signature.
    _Hits = dict[int, Sequence[int]]

# So many bytes are kept in all; what is oldest is given up first.
MOST_BYTES = 12 << 20
NEARLY_ALL = 0.9  # of a block: to look which hits could hold there would give no room
SORTED = 20_000  # hits of a block; where more would have to be, its bytes are kept whole until its hits are asked for
LEAST_APART = 4096  # bytes; hits that lie nearer to each other, on the average, need all that lies between
LIKELY = 0.5  # the share of a signature's hits that held, above which the next ones are taken to hold


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


class _Kept:
    """The hits of one block that may be among the last, and the bytes around them.

    It is `thin` when hits that can't be the message were dropped, and `dense` when that was not worth it. `counts`
    says of how many hits of each signature something is kept. Which those are need not be known until `hits` is asked
    for: where hits lie everywhere, the block is mostly given up before.
    """

    __slots__ = ("_hits", "_unsorted", "counts", "dense", "size", "thin", "windows")

    def __init__(self, block: Block, hits: Hits, counts: dict[int, int], looked: _Hits, most: int) -> None:
        self.counts = {index: len(looked[index]) if index in looked else min(counts[index], most) for index in counts}
        self.thin = self.dense = False
        newest = hits.newest(most, SORTED)
        self._hits = None if newest is None else self._sorted(hits, newest, looked, most)
        # All hits of a block may take more room than its bytes: they go as soon as it is known which are kept.
        self._unsorted = (hits, looked, most) if newest is None else None
        if self._hits is None:
            first, last = hits.ends[0], hits.ends[-1]
            begin = max(block.base, first - LONGEST_BYTES)
            spans = [_Span(begin - BEFORE_BYTES, last + 2 * AFTER_BYTES, begin)]
        else:
            spans = _around(self._hits)
        self._keep(_cut(block, spans))

    @property
    def hits(self) -> _Hits:
        """The hits, ascending, by signature."""
        if self._hits is None:
            assert self._unsorted
            hits, looked, most = self._unsorted
            self._hits, self._unsorted = self._sorted(hits, hits.newest(most) or {}, looked, most), None
        return self._hits

    def _sorted(self, hits: Hits, newest: Mapping[int, Sequence[int]], looked: _Hits, most: int) -> _Hits:
        others = {index for index, count in self.counts.items() if count and index not in looked}
        found = hits.by_signature(newest, others, most)
        return {**found, **{index: offsets[-most:] for index, offsets in looked.items() if offsets}}

    def _keep(self, windows: list[_Window]) -> None:
        self.windows = windows
        self.size = sum(len(window.data) for window in windows)

    def narrow(self, hits: _Hits) -> None:
        """Keep `hits` alone, which are some of those here."""
        if hits != self.hits:
            self._keep(_narrowed(self.windows, _around(hits)) if hits else [])
        self._hits, self.thin = hits, True
        self.counts = {index: len(offsets) for index, offsets in hits.items()}

    def is_full_of(self, wanted: Mapping[int, int]) -> bool:
        """Whether the newest hits of signatures, as many as are `wanted`, need nearly all the bytes that are kept."""
        if self._hits is None:
            count = sum(min(most, self.counts[index]) for index, most in wanted.items())
            if count * LEAST_APART > self.size:
                return True
        return sum(span.end - span.begin for span in _around(self.some(wanted))) >= NEARLY_ALL * self.size

    def some(self, wanted: Mapping[int, int]) -> _Hits:
        """The newest hits of signatures, as many as are `wanted`."""
        return {index: self.hits[index][-most:] for index, most in wanted.items()}

    def lines(self) -> Lines:
        """The lines at its hits."""
        blocks = [_block(window) for window in self.windows]
        bases = [block.base for block in blocks]
        return Lines(lambda offset: blocks[bisect_right(bases, offset) - 1].line_at(offset))


class Late:
    """The newest hits, up to `each` of every signature.

    While there is room, blocks are kept whole with all their hits: which of these could hold is asked of `crowd` when
    the room is needed, or in the end, and mostly newer ones have come by then.
    """

    def __init__(self, each: int, crowd: Crowd, tally: Tally) -> None:
        self._each, self._crowd, self._tally = each, crowd, tally
        self._kept: list[_Kept] = []
        # How many hits of each signature the blocks hold: those that were thinned, and those kept whole.
        self._thin_counts: dict[int, int] = {}
        self._whole_counts: dict[int, int] = {}

    def keep(self, block: Block, hits: Hits, counts: dict[int, int], looked: _Hits) -> None:
        """Take in the newest `hits` of `block`, so many of each signature, where not `looked` at; older ones may go.

        `looked` are the hits that are left of signatures of which some were looked at.
        """
        kept = _Kept(block, hits, counts, looked, MOST_LOOKED)
        if any(kept.counts.values()):
            self._kept.append(kept)
            self._count(kept, 1)
            self._make_room()

    def newest_first(
        self, is_wanted: Callable[[int], bool] = lambda index: True
    ) -> Iterator[tuple[list[Block], dict[int, Sequence[int]]]]:
        """What was kept: the bytes as blocks, ascending, and the hits in them of signatures that are wanted still."""
        for kept in reversed(self._kept):
            hits = {index: offsets for index, offsets in kept.hits.items() if is_wanted(index)}
            if not kept.thin:
                lines = kept.lines()
                hits = {index: self._thinned(index, offsets, lines, self._each) for index, offsets in hits.items()}
            yield [_block(window) for window in kept.windows], hits

    def _thinned(self, index: int, offsets: Sequence[int], lines: Lines, most: int) -> Sequence[int]:
        return self._crowd.thinned(index, offsets, most, lines, backwards=True)[0][-most:]

    def _count(self, kept: _Kept, sign: int) -> None:
        counts = self._thin_counts if kept.thin else self._whole_counts
        for index, count in kept.counts.items():
            counts[index] = counts.get(index, 0) + sign * count

    def _missing(self, indices: Iterable[int]) -> dict[int, int]:
        """How many sightings are missing of signatures of whose counted hits too few hold, by what is known of them."""
        missing: dict[int, int] = {}
        thin, whole, tally = self._thin_counts.get, self._whole_counts.get, self._tally
        for index in indices:
            few = self._each - thin(index, 0)
            if few > 0:
                few -= int(whole(index, 0) * tally.share(index))
            if few > 0 and not tally.is_hopeless(index):
                missing[index] = few
        return missing

    def _make_room(self) -> None:
        """Give up the oldest hits that enough newer ones follow, and in need the oldest of all."""
        room = MOST_BYTES - sum(kept.size for kept in self._kept)
        looked: list[_Kept] = []
        for number, kept in enumerate(self._kept[:-1]):
            if room >= 0:
                break
            if kept.dense and number:
                continue  # it would give no room now, either
            looked.append(kept)
            self._count(kept, -1)
            room += kept.size
            self._thin(kept)
            room -= kept.size
        self._kept = [kept for kept in self._kept if kept.windows]
        while room < 0 and len(self._kept) > 1:
            room += self._kept.pop(0).size
        for kept in looked:
            if kept in self._kept:
                self._count(kept, 1)

    def _thin(self, kept: _Kept) -> None:
        """Drop the hits of `kept` that can't be among the last, where that gives room; those are newer that are
        counted."""
        missing = self._missing(index for index, count in kept.counts.items() if count)
        if kept.thin:
            kept.narrow(kept.some(missing))
            return
        kept.dense = kept.is_full_of(
            {index: most for index, most in missing.items() if self._tally.share(index) > LIKELY}
        )
        if not kept.dense:
            lines = kept.lines()
            hits = {index: self._thinned(index, kept.hits[index], lines, most) for index, most in missing.items()}
            kept.narrow({index: offsets for index, offsets in hits.items() if offsets})


def _around(hits: Mapping[int, Sequence[int]]) -> list[_Span]:
    """The spans of the source, apart from each other, that hold what may belong to the hits."""
    some = {one for offsets in hits.values() for one in (offsets[0], offsets[len(offsets) // 2], offsets[-1])}
    spans = _apart(sorted(some))  # of very many hits a few tell already that all is one
    return spans if len(spans) < 2 else _apart(sorted(set().union(*hits.values())))


def _apart(offsets: Sequence[int]) -> list[_Span]:
    spans: list[_Span] = []
    first = 0
    while first < len(offsets):
        last, beyond = first, first + 1
        while last < beyond:
            last = beyond
            beyond = bisect_right(offsets, offsets[last - 1] + BEFORE_BYTES + 2 * AFTER_BYTES, last)
        spans.append(_Span(offsets[first] - BEFORE_BYTES, offsets[last - 1] + 2 * AFTER_BYTES, offsets[first]))
        first = last
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
    block = Block(window.data)
    block.begin, block.end, block.fresh = 0, len(window.data), 0
    block.base, block.line = window.base, window.line
    return block
