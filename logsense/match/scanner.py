"""Scans a source of any size in blocks: literals first, records and exact matches only around the hits."""

from __future__ import annotations

from collections import Counter

from logsense.match.block import BLOCK_BYTES, CARRY_BYTES, Block
from logsense.match.newest import Newest
from logsense.match.regions import Regions, Sweep
from logsense.match.searches import Searches
from logsense.match.sightings import Sightings
from logsense.match.verify import Verifier
from logsense.model.knowledge import LONGEST_BYTES
from logsense.model.reading import FAILING, Reading, TextBefore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.match.engines import Engine
    from logsense.match.regions import Records
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog

# In the end so many last sightings are looked for, and one of each further message, at so many places at most.
MOST_LAST, MOST_OTHERS, MOST_TRIES = 200, 200, 5000
READ_BYTES = 256 << 10  # at once, so that threads take turns, and a core finds what it has read in its own cache
# Of a source's beginning, and of what stands in front of its failures, so much is kept: enough to see when the run
# began and how far it had come. Leads lie so far apart; where there are too many, every second is dropped.
HEAD_BYTES = 16 << 10
LEAD_BYTES = 32 << 10
LEADS_APART = 128 << 10
CLOSELY_BYTES = 64 << 10
MOST_LEADS = 64


class Scanner:
    """Takes a source's bytes in order, through `feed` or straight into `space`, and gives a Reading at `finish`.

    `size` is the number of bytes to come, where known. Full blocks are searched in up to `searchers` threads of their
    own while the next are read and their lines counted. The end of a source, where most failures stand, is searched
    with the engine `closely` too, where there is one: it looks through wraps and colours. `tail_bytes` of the source's
    end are given as the scan's tail. Scanners of one job may share a `verifier`, which prepares each pattern once, and
    one after the other the memory they read into: `room`, which each leaves as `room` when it has finished.
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
        tail_bytes: int = CARRY_BYTES,
        verifier: Verifier | None = None,
        closely: Engine | None = None,
        room: bytes | bytearray | None = None,
    ) -> None:
        self._catalog, self._records, self._source, self._closely = catalog, records, source, closely
        self._searches = Searches(engine, LONGEST_BYTES, searchers)
        self._tail_bytes = min(tail_bytes, CARRY_BYTES)
        self._verifier = verifier or Verifier()
        self._block = Block(room, None if size is None else min(max(size, 1) + 1, BLOCK_BYTES))
        self._spare: list[Block] = []
        self._sightings = Sightings(catalog, self._verifier)
        self._newest = Newest(self._sightings)
        self._findings: list[Finding] = []
        self._head = b""
        self._leads: list[TextBefore] = []
        self._leads_apart = LEADS_APART

    @property
    def room(self) -> bytes | bytearray:
        """The memory of the newest block."""
        return self._block.data

    def space(self) -> memoryview:
        """Some room to read into; call `filled` with the number of bytes that were read."""
        return self._block.space()[:READ_BYTES]

    def filled(self, count: int) -> None:
        """Note that `count` bytes were written into `space`."""
        block = self._block
        block.end += count
        if count == READ_BYTES:
            block.line_of(block.end)  # counts while the bytes are near
        if block.full:
            after = block.follow(self._spare.pop() if self._spare else None)
            for done in self._searches.given(block):
                self._take(done)
            self._block = after

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
        """Reading what is left and give everything that was seen, in the order of the source."""
        for block in self._searches.rest():
            self._take(block)
        block = self._searches.now(self._block)
        if self._closely:
            begin = block.line_start(max(block.fresh, block.end - CLOSELY_BYTES))
            block.add(self._closely, begin, block.end, LONGEST_BYTES)
        self._take(block)
        self._look_last()
        # What stands at one place comes in an order of its own, whichever engine found it.
        self._findings.sort(key=lambda finding: (finding.offset, finding.at, finding.signature.id))
        least = Counter(finding.signature.id for finding in self._findings)
        counts = {self._catalog.ids[index]: count for index, count in self._sightings.counts().items()}
        tail = block.state_start(max(block.begin, block.end - self._tail_bytes))
        return Reading(
            source=self._source,
            findings=self._findings,
            counts={name: max(few, counts[name]) for name, few in least.items()},
            size=block.base + block.end - block.begin,
            lines=block.line_of(block.end) - (1 if block.ends_with_newline else 0),
            head=self._head,
            texts_before=self._leads,
            tail=bytes(block.data[tail : block.end]),
            tail_offset=tail + block.shift,
            tail_line=block.line_of(tail),
        )

    def _take(self, block: Block) -> None:
        """Look for first sightings in `block`, and keep it as long as the last ones may be in it."""
        if not self._head:
            self._head = bytes(block.data[block.begin : min(block.end, block.begin + HEAD_BYTES)])
        sweep = self._sweep(block)
        found = [one for piece in block.pieces for one in self._sightings.look(block, piece, sweep.find)]
        self._findings += found
        self._lead(block, [one.offset for one in found if one.signature.kind in FAILING])
        gone = self._newest.take(block)
        if gone and gone.is_roomy:
            self._spare.append(gone)

    def _sweep(self, block: Block) -> Sweep:
        return Sweep(self._catalog, self._verifier, Regions(block, self._records, self._source))

    def _lead(self, block: Block, failed: list[int]) -> None:
        """Keep what stands in front of the records at `failed`, offsets of failures in `block`."""
        for offset in sorted(failed):
            if any(abs(offset - lead.end) < self._leads_apart for lead in self._leads[-MOST_LEADS:]):
                continue
            at = offset - block.shift
            begin = block.line_start(max(block.begin, at - LEAD_BYTES))
            if begin < at:
                line = block.line_of(begin)
                self._leads.append(TextBefore(begin + block.shift, line, bytes(block.data[begin:at])))
        self._leads.sort()
        if len(self._leads) > MOST_LEADS:
            self._leads = self._leads[::2]
            self._leads_apart *= 2

    def _look_last(self) -> None:
        """Find the last sightings of messages with more than their first ones."""
        known = {(one.signature.id, one.offset) for one in self._findings}
        found: Counter[int] = Counter()
        tries = 0
        sweeps: dict[Block, Sweep] = {}
        for block, offset, sought in self._newest.places():
            most = sought.most if found.total() < MOST_LAST else 1 if found.total() < MOST_LAST + MOST_OTHERS else 0
            if found[sought.index] >= most or tries >= MOST_TRIES:
                continue
            tries += 1
            sweep = sweeps[block] = sweeps.get(block) or self._sweep(block)
            finding, _ = sweep.find(sought.index, offset)
            if finding and (finding.signature.id, finding.offset) not in known:
                known.add((finding.signature.id, finding.offset))
                self._findings.append(finding)
                found[sought.index] += 1
                if finding.signature.kind in FAILING:
                    self._lead(block, [finding.offset])
