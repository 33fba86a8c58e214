"""Scans a source of any size in blocks: literals first, records and exact matches only around the hits."""

from __future__ import annotations

from bisect import bisect_right

from logsense.match.verify import Verifier
from logsense.model.scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from logsense.match.engines import Engine
    from logsense.model.catalog import Catalog
    from logsense.model.finding import Finding
    from logsense.model.record import Record

    Records = Callable[..., list[Record]]

BLOCK_BYTES = 4 << 20
# What is kept in front of a block: the room behind a hit, and the tail of the log when it ends.
CARRY_BYTES = 256 << 10
BEFORE_BYTES = 32 << 10
AFTER_BYTES = 8 << 10
# A signature's findings are kept from its first and its last sightings; those between are only counted.
FIRST, LAST = 24, 24
TRIES = 4000


class Scanner:
    """Takes a source's bytes in order, through `feed` or straight into `space`, and gives a Scan at `finish`."""

    def __init__(self, catalog: Catalog, engine: Engine, records: Records, source: str) -> None:
        self._catalog, self._engine, self._records, self._source = catalog, engine, records, source
        self._verifier = Verifier()
        self._longest = max((len(literal.text.encode()) for literal in catalog.literals), default=1)
        self._buffers = [bytearray(CARRY_BYTES + BLOCK_BYTES), None]
        self._current = 0
        self._begin = CARRY_BYTES  # where the valid bytes of the buffer begin
        self._end = CARRY_BYTES  # and end
        self._scanned = CARRY_BYTES  # up to where hits have been looked for
        self._base = 0  # the source's offset of _begin
        self._line = 1  # the source's line number at _begin
        self._waiting: list[tuple[int, int]] = []  # hits too near the end, as source offset and signature
        self._first: dict[int, list[Finding]] = {}
        self._last: dict[int, list[Finding]] = {}
        self._counts: dict[int, int] = {}

    def space(self) -> memoryview:
        """Room to read into; call `filled` with the number of bytes that were read."""
        return memoryview(self._buffers[self._current])[self._end :]  # type: ignore[arg-type]

    def filled(self, count: int) -> None:
        """Note that `count` bytes were written into `space`."""
        self._end += count
        if self._end == CARRY_BYTES + BLOCK_BYTES:
            self._process(last=False)
            self._turn()

    def feed(self, data: bytes) -> None:
        """Take in the next bytes of the source."""
        view = memoryview(data)
        while len(view):
            space = self.space()
            count = min(len(space), len(view))
            space[:count] = view[:count]
            view = view[count:]
            self.filled(count)

    def finish(self) -> Scan:
        """Scan what is left and give everything that was seen, in the order of the source."""
        self._process(last=True)
        buffer = self._buffers[self._current]
        assert buffer is not None
        start = max(self._begin, self._end - CARRY_BYTES)
        if start > self._begin:
            cut = buffer.find(b"\n", start, self._end)
            start = cut + 1 if 0 <= cut < self._end - 1 else start
        findings = [f for kept in (self._first, self._last) for found in kept.values() for f in found]
        findings.sort(key=lambda finding: (finding.offset, finding.at))
        newlines = buffer.count(b"\n", self._begin, self._end)
        ended = self._end == self._begin or buffer[self._end - 1 : self._end] == b"\n"
        return Scan(
            source=self._source,
            findings=findings,
            counts={self._catalog.ids[number]: count for number, count in self._counts.items()},
            bytes=self._base + self._end - self._begin,
            lines=self._line - 1 + newlines + (0 if ended else 1),
            tail=bytes(buffer[start : self._end]),
            tail_offset=self._base + start - self._begin,
            tail_line=self._line + buffer.count(b"\n", self._begin, start),
        )

    def _turn(self) -> None:
        """Start a new block behind the end of this one."""
        buffer = self._buffers[self._current]
        assert buffer is not None
        keep = self._end - CARRY_BYTES
        self._line += buffer.count(b"\n", self._begin, keep)
        self._base += keep - self._begin
        buffer[:CARRY_BYTES] = buffer[keep : self._end]
        self._begin, self._end, self._scanned = 0, CARRY_BYTES, CARRY_BYTES

    def _process(self, last: bool) -> None:
        buffer = self._buffers[self._current]
        assert buffer is not None
        start = max(self._begin, self._scanned - self._longest)
        with memoryview(buffer) as view:
            hits = self._engine(view[start : self._end])
        literals = self._catalog.literals
        shift = self._base - self._begin
        found = self._waiting
        for number, end in hits:
            at = start + end
            if at > self._scanned:
                found += [(at - 1 + shift, index) for index in literals[number].signatures]
        self._scanned = self._end
        if not last:
            limit = self._end - AFTER_BYTES + shift
            self._waiting = [hit for hit in found if hit[0] >= limit]
            found = [hit for hit in found if hit[0] < limit]
        else:
            self._waiting = []
        if found:
            self._verify(found, shift)

    def _verify(self, hits: list[tuple[int, int]], shift: int) -> None:
        by_signature: dict[int, list[int]] = {}
        for offset, index in hits:
            by_signature.setdefault(index, []).append(offset)
        regions = _Regions(self, shift)
        for index, offsets in by_signature.items():
            self._verify_one(index, offsets, regions)

    def _verify_one(self, index: int, offsets: list[int], regions: _Regions) -> None:
        first = self._first.setdefault(index, [])
        offsets.sort()
        done = 0
        seen = {finding.offset for finding in first[-1:]}
        for offset in offsets[:TRIES]:
            if len(first) >= FIRST:
                break
            done += 1
            finding = regions.find(index, offset)
            if finding and finding.offset not in seen:
                seen.add(finding.offset)
                first.append(finding)
                self._counts[index] = self._counts.get(index, 0) + 1
        if not first and done == len(offsets):
            del self._first[index]
            return
        rest = offsets[done:]
        last: list[Finding] = []
        for offset in reversed(rest[-TRIES:]):
            if len(last) >= LAST:
                break
            finding = regions.find(index, offset)
            if finding and finding.offset not in seen:
                seen.add(finding.offset)
                last.append(finding)
        if rest:
            self._counts[index] = self._counts.get(index, 0) + (len(rest) if last else 0)
            self._last[index] = (self._last.get(index, []) + last[::-1])[-LAST:]


class _Regions:
    """Records around offsets of one block, parsed once for neighbouring hits."""

    def __init__(self, scanner: Scanner, shift: int) -> None:
        self._scanner, self._shift = scanner, shift
        self._spans: list[tuple[int, int, list[Record], list[int]]] = []
        self._counted = (scanner._begin, scanner._line)

    def find(self, index: int, offset: int) -> Finding | None:
        """The finding of the signature in the record that holds the source's byte at `offset`."""
        records, starts = self._around(offset)
        at = bisect_right(starts, offset) - 1
        scanner = self._scanner
        signature = scanner._catalog.signature(index)
        # A record of another rank may lie between: records are ordered by where they begin, and may overlap.
        for number in range(at, max(-1, at - 12), -1):
            if number >= 0 and records[number].end > offset:
                finding = scanner._verifier.find(signature, records, number)
                if finding:
                    return finding
        return None

    def _around(self, offset: int) -> tuple[list[Record], list[int]]:
        for low, high, records, starts in self._spans:
            if low <= offset < high:
                return records, starts
        scanner = self._scanner
        buffer = scanner._buffers[scanner._current]
        assert buffer is not None
        at = offset - self._shift
        begin = max(scanner._begin, at - BEFORE_BYTES)
        if begin > scanner._begin:
            cut = buffer.find(b"\n", begin, at)
            begin = cut + 1 if cut >= 0 else begin
        end = min(scanner._end, at + AFTER_BYTES * 2)
        cut = buffer.rfind(b"\n", at, end)
        end = cut + 1 if cut >= 0 and end < scanner._end else end
        counted, line = self._counted
        if begin < counted:
            counted, line = scanner._begin, scanner._line
        line += buffer.count(b"\n", counted, begin)
        self._counted = (begin, line)
        records = scanner._records(
            bytes(buffer[begin:end]), source=scanner._source, first_line=line, offset=begin + self._shift
        )
        starts = [record.offset for record in records]
        # Hits near the end of the region want their own, so that what follows them is seen.
        high = end + self._shift if end == scanner._end else max(offset + 1, end - AFTER_BYTES + self._shift)
        low = begin + self._shift if begin == scanner._begin else min(offset, begin + BEFORE_BYTES // 2 + self._shift)
        self._spans.append((low, high, records, starts))
        if len(self._spans) > 64:
            self._spans.pop(0)
        return records, starts
