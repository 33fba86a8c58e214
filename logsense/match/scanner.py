"""Scans a source of any size in blocks: literals first, records and exact matches only around them."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.match.block import BLOCK_BYTES, CARRY_BYTES, Block, Records
from logsense.match.pieces import Engine, Piece
from logsense.match.sightings import Sightings
from logsense.match.verify import Verifier
from logsense.model.knowledge import Catalog
from logsense.model.reading import Excerpt, Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread


READ_BYTES = 256 << 10  # at once, so that threads take turns, and a core finds what it has read in its own cache
# How much is kept of a source's beginning, and of the text before its failures: enough to see when the run began and
# how far it got. Texts before failures are at least this far apart; if there are too many, every second is dropped.
HEAD_BYTES = 16 << 10
BEFORE_BYTES = 32 << 10
BEFORE_APART = 128 << 10
MOST_BEFORE = 64
# Literals in a block, with which a search waits for Python's lock longer than it takes.
CROWDED = 4000


class Scanner:
    """Takes a source's bytes in order, through `feed` or straight into `space`, and returns a Reading at `finish`.

    `size` is the number of bytes to come, where known. Full blocks are searched in up to `searchers` threads of their
    own while the next are read and their lines counted. In the last `closely_bytes` of a source, words are found that
    wraps and colors separate. `tail_bytes` of the source's end are kept as the reading's tail. Scanners of one job may
    share a `verifier`, which prepares each pattern once, and one after the other the memory they read into: `room`,
    which each leaves as `room` when it has finished.
    """

    def __init__(
        self,
        catalog: Catalog,
        engine: Engine,
        records: Records,
        source: str,
        *,
        size: int | None = None,
        searchers: int = 0,
        closely_bytes: int = 0,
        tail_bytes: int = CARRY_BYTES,
        verifier: Verifier | None = None,
        room: bytes | bytearray | None = None,
    ) -> None:
        self._engine, self._source, self._closely_bytes = engine, source, closely_bytes
        self._sightings = Sightings(catalog, verifier or Verifier(), records, source)
        self._searchers, self._searches, self._is_crowded = searchers, list[_Search](), False
        self._tail_bytes = min(tail_bytes, CARRY_BYTES)
        self._block = Block(room, None if size is None else min(max(size, 1) + 1, BLOCK_BYTES))
        self._spare: list[Block] = []
        self._head = b""
        self._texts_before: list[Excerpt] = []
        self._before_apart = BEFORE_APART

    @property
    def room(self) -> bytes | bytearray:
        """The memory of the newest block."""
        return self._block.data

    def space(self) -> memoryview:
        """Return some room to read into; call `filled` with the number of bytes that were read."""
        return self._block.space()[:READ_BYTES]

    def filled(self, count: int) -> None:
        """Note that `count` bytes were written into `space`."""
        block = self._block
        block.end += count
        if count == READ_BYTES:
            block.line_of(block.end)  # counts while the bytes are near
        if block.full:
            threaded = self._searchers > 0 and not self._is_crowded
            self._searches.append(_Search(block, self._engine, threaded=threaded))
            while len(self._searches) > self._searchers or (self._searches and self._searches[0].is_done):
                self._take(*self._searches.pop(0).result())
            self._block = block.follow(self._spare.pop() if self._spare else None)

    def feed(self, data: bytes) -> None:
        """Take in the next bytes of the source."""
        view = memoryview(data)
        while len(view):
            space = self._block.space()
            count = min(len(space), len(view))
            space[:count] = view[:count]
            view = view[count:]
            self.filled(count)

    def finish(self) -> Reading:
        """Read what is left and return everything that was seen, in the order of the source."""
        for search in self._searches:
            self._take(*search.result())
        block = self._block
        closely_from = block.line_start(max(block.begin, block.end - self._closely_bytes))
        self._take(block, block.pieces(self._engine, block.end, closely_from if self._closely_bytes else None))
        for seen, failures in self._sightings.find_last():
            self._keep_before(seen, failures)
        # What stands at one place comes in an order of its own, whichever engine found it.
        findings = sorted(self._sightings.findings, key=lambda one: (one.offset, one.at, one.signature.id))
        tail = block.state_start(max(block.begin, block.end - self._tail_bytes))
        return Reading(
            source=self._source,
            findings=findings,
            counts=self._sightings.counts,
            only_counted=self._sightings.only_counted,
            size=block.base + block.end - block.begin,
            lines=block.line_of(block.end) - (1 if block.ends_with_newline else 0),
            head=Excerpt(text=self._head),
            texts_before=self._texts_before,
            tail=Excerpt(tail + block.shift, block.line_of(tail), bytes(block.data[tail : block.end])),
        )

    def _take(self, block: Block, pieces: list[Piece]) -> None:
        self._is_crowded = sum(len(piece.firsts) for piece in pieces) > CROWDED
        failures, old = self._sightings.add(block, pieces)
        if old and old.is_roomy:
            self._spare.append(old)
        if not self._head:
            self._head = bytes(block.data[block.begin : min(block.end, block.begin + HEAD_BYTES)])
        self._keep_before(block, failures)

    def _keep_before(self, block: Block, failures: Sequence[int]) -> None:
        """Keep the text before the failures at these offsets."""
        kept = self._texts_before
        for offset in sorted(failures):
            if any(abs(offset - one.end) < self._before_apart for one in kept[-MOST_BEFORE:]):
                continue
            at = offset - block.shift
            begin = block.line_start(max(block.begin, at - BEFORE_BYTES))
            if begin < at:
                line = block.line_of(begin)
                kept.append(Excerpt(begin + block.shift, line, bytes(block.data[begin:at])))
        kept.sort()
        if len(kept) > MOST_BEFORE:
            self._texts_before = kept[::2]
            self._before_apart *= 2


class _Search:
    """The search of a full block, `threaded` if a thread can be started."""

    def __init__(self, block: Block, engine: Engine, *, threaded: bool) -> None:
        self._block, self._engine = block, engine
        self._pieces: list[Piece] = []
        self._error: BaseException | None = None
        self._thread = self._started() if threaded else None
        if not self._thread:
            self._do()

    @property
    def is_done(self) -> bool:
        """Whether nobody need wait for it."""
        return self._thread is None or not self._thread.is_alive()

    def result(self) -> tuple[Block, list[Piece]]:
        """Return the block and its pieces, once it is searched. Raises what the search raised."""
        if self._thread:
            self._thread.join()
        if self._error:
            raise self._error
        return self._block, self._pieces

    def _started(self) -> Thread | None:
        from threading import Thread

        thread = Thread(target=self._do, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system allows no more
            return None
        return thread

    def _do(self) -> None:
        try:
            self._pieces = self._block.pieces(self._engine, self._block.settled)
        except BaseException as error:  # noqa: BLE001 - it is raised where the block is asked for
            self._error = error
