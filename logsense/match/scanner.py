"""Scans a source of any size in blocks: literals first, records and exact matches only around the hits."""

from __future__ import annotations

from bisect import bisect_right

from logsense.match.block import BLOCK_BYTES, CARRY_BYTES, Block, Regions
from logsense.match.crowd import MOST_LOOKED, Crowd, Lines
from logsense.match.hits import Hits
from logsense.match.late import Late
from logsense.match.searches import Searches
from logsense.match.sweep import Sweep, in_order
from logsense.match.tally import Tally
from logsense.match.verify import Verifier
from logsense.model.knowledge import LONGEST_BYTES
from logsense.model.reading import FAILING, Reading, TextBefore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.match.block import Records
    from logsense.match.engines import Engine
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog

# A signature's findings are kept from its first and its last sightings; those between are only counted.
FIRST, LAST = 24, 24
TRIES = 400
# After so many findings in a source, of each signature only the first sighting is looked at where it stands. In the
# end so many findings are looked for among the newest hits, and so many more of signatures that are not among them.
MOST_FIRST, MOST_LAST, MOST_OTHERS = 400, 400, 400
# So many of the newest hits of each signature are kept, since not all that holds its literal is one; and tried, in all.
NEWEST, MOST_TRIES = 48, 5000
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
        self._waiting = Hits(catalog.literals)  # too near a block's end
        self._first: dict[int, list[Finding]] = {}
        self._tally = Tally()
        self._crowd = Crowd(catalog, self._verifier, self._tally)
        self._late = Late(NEWEST, self._crowd, self._tally)
        self._found = 0
        self._head = b""
        self._failed: list[int] = []  # offsets of the records in which this block's failures were found
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
            for done in self._searches.given(block):
                self._take(done, last=False)
                if done.is_roomy:
                    self._spare.append(done)
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
        """Reading what is left and give everything that was seen, in the order of the source."""
        for block in self._searches.rest():
            self._take(block, last=False)
        block = self._searches.now(self._block)
        if self._closely:
            begin = block.line_start(max(block.unsearched_from(LONGEST_BYTES), block.end - CLOSELY_BYTES))
            hits = self._closely(memoryview(block.data)[begin : block.end], begin + block.shift)
            block.add(hits)
        self._take(block, last=True)
        newest = self._newest()
        findings = [f for found in (*self._first.values(), *newest.values()) for f in found]
        # What stands at one place comes in an order of its own, whichever engine found it.
        findings.sort(key=lambda finding: (finding.offset, finding.at, finding.signature.id))
        least = {index: len(found) + len(newest.get(index, ())) for index, found in self._first.items()}
        tail = block.state_start(max(block.begin, block.end - self._tail_bytes))
        return Reading(
            source=self._source,
            findings=findings,
            counts={self._catalog.ids[index]: self._tally.count(index, few) for index, few in least.items() if few},
            size=block.base + block.end - block.begin,
            lines=block.line_of(block.end) - (1 if block.ends_with_newline else 0),
            head=self._head,
            texts_before=self._leads,
            tail=bytes(block.data[tail : block.end]),
            tail_offset=tail + block.shift,
            tail_line=block.line_of(tail),
        )

    def _take(self, block: Block, *, last: bool) -> None:
        limit = block.base + (block.end if last else block.settled) - block.begin
        hits, self._waiting = self._waiting.followed_by(block.hits or Hits(self._catalog.literals)).parted(limit)
        if hits:
            self._look(hits, block)
        if not self._head:
            self._head = bytes(block.data[block.begin : min(block.end, block.begin + HEAD_BYTES)])
        self._lead(block)

    def _lead(self, block: Block) -> None:
        """Keep what stands in front of the failures that this block brought."""
        for offset in sorted(self._failed):
            if any(abs(offset - lead.end) < self._leads_apart for lead in self._leads[-MOST_LEADS:]):
                continue
            at = offset - block.shift
            begin = block.line_start(max(block.begin, at - LEAD_BYTES))
            if begin < at:
                line = block.line_of(begin)
                self._leads.append(TextBefore(begin + block.shift, line, bytes(block.data[begin:at])))
        self._failed.clear()
        self._leads.sort()
        if len(self._leads) > MOST_LEADS:
            self._leads = self._leads[::2]
            self._leads_apart *= 2

    def _look(self, hits: Hits, block: Block) -> None:
        """Match signatures exactly at their first hits, until enough were found, and keep the newest for the end."""
        enough = self._enough
        passed = hits.counts()
        due = {
            index for index in passed if len(self._first.setdefault(index, [])) < enough and self._tally.is_due(index)
        }
        wanted: dict[int, Sequence[int]] = {}
        rest: dict[int, Sequence[int]] = {}
        lines = Lines(block.line_at)
        for index, offsets in hits.offsets(due).items() if due else ():
            some, looked = self._crowd.thinned(index, offsets, TRIES, lines)
            wanted[index] = some[:TRIES]
            passed[index] -= looked
            rest[index] = offsets[max(looked, len(offsets) - MOST_LOOKED) :]
        for index, tried in self._look_first(wanted, block).items():
            left = wanted[index][tried:]
            passed[index] += len(left)
            rest[index] = [*left, *rest[index]]
        self._tally.passed(passed)
        self._late.keep(block, hits, passed, rest)

    def _sweep(self, block: Block) -> Sweep:
        return Sweep(self._catalog, self._verifier, Regions(block, self._records, self._source))

    @property
    def _enough(self) -> int:
        return FIRST if self._found < MOST_FIRST else 1

    def _look_first(self, wanted: dict[int, Sequence[int]], block: Block) -> dict[int, int]:
        """Look for first sightings at the hits `wanted`; gives how many of each signature's were tried."""
        sweep = self._sweep(block)
        done = dict.fromkeys(wanted, 0)
        seen = {index: {finding.offset for finding in self._first[index][-1:]} for index in wanted}
        for index, offset in in_order(wanted):
            first = self._first[index]
            if len(first) >= self._enough:
                continue
            done[index] += 1
            finding = sweep.find(index, offset)
            if finding is None or finding.offset in seen[index]:
                self._tally.missed(index)
            else:
                seen[index].add(finding.offset)
                first.append(finding)
                self._found += 1
                self._tally.found(index)
                if finding.signature.kind in FAILING:
                    self._failed.append(finding.offset)
        return done

    def _newest(self) -> dict[int, list[Finding]]:
        """The last sightings of each signature, which are looked for now that the source has ended."""
        found: dict[int, list[Finding]] = {}
        seen = {index: {finding.offset for finding in first[-1:]} for index, first in self._first.items()}
        tries = count = 0
        for blocks, hits in self._late.newest_first(lambda index: len(found.get(index, ())) < LAST):
            bases = [block.base for block in blocks]
            sweeps = [self._sweep(block) for block in blocks]
            failed: dict[int, list[int]] = {}
            for index, offset in in_order(hits, backwards=True):
                last = found.setdefault(index, [])
                most = LAST if count < MOST_LAST else 1 if count < MOST_LAST + MOST_OTHERS else 0
                if len(last) >= most or tries >= MOST_TRIES:
                    continue
                tries += 1
                at = bisect_right(bases, offset) - 1
                finding = sweeps[at].find(index, offset)
                if finding and finding.offset not in seen.setdefault(index, set()):
                    seen[index].add(finding.offset)
                    last.append(finding)
                    count += 1
                    if finding.signature.kind in FAILING:
                        failed.setdefault(at, []).append(finding.offset)
            for at, offsets in failed.items():
                self._failed = offsets
                self._lead(blocks[at])
        return found
