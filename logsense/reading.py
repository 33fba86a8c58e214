"""Reads the logs of one job: sources → blocks → findings, and the records at their ends."""

from __future__ import annotations

import time
from bisect import bisect_left
from functools import partial

from logsense.match.block import CARRY_BYTES
from logsense.match.engines import engine_for, over_wraps
from logsense.match.progress import progress_in
from logsense.match.scanner import Scanner
from logsense.match.verify import Verifier
from logsense.model.finding import Finding
from logsense.model.scan import NOWHERE, Ending
from logsense.parse.placement import place_of, places_of
from logsense.parse.records import records
from logsense.parse.turned import newest_first
from logsense.sources.errors import InputError
from logsense.sources.source import head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsense.match.engines import Engine
    from logsense.model.catalog import Catalog
    from logsense.model.record import Record
    from logsense.model.scan import Scan
    from logsense.sources.source import Raw, Source

    OnProgress = Callable[[int, int | None], None]
    # Findings with the ids of their signatures, which every process has.
    Slim = list[tuple[str, Record, int, dict[str, object]]]
    # Those of a scan, those that report progress at its end, and the rest of it.
    Packed = tuple[Slim, Slim, Scan]

# Inputs up to the first size are looked at whole for wraps, quotes and escapes of pasted text; of many, to the second.
PASTE_BYTES, PASTE_OF_MANY_BYTES = 1 << 20, 64 << 10
PROGRESS_EVERY_S = 0.1
# So many sources are looked at as closely as a single one. Of more, all share the room of so many for what is kept of
# their ends, and only the ends of so many, those that tell of a failure of their own first, are read whole.
CLOSELY = 16
GLANCE_BYTES = 2 << 10  # of the end of each of the others
# From so many bytes on, several sources are read by several processes.
ALL_CORES_BYTES = 256 << 20
MOST_SEARCHERS = 2  # who reads and counts takes two thirds of the time of one who searches


_kept: dict[str, tuple[Engine, Verifier]] = {}


def keep_tools(catalog: Catalog) -> None:
    """For a process that reads many jobs: build once what is otherwise built for each of them."""
    if catalog.key not in _kept:
        _kept[catalog.key] = (engine_for(catalog.literals, None, catalog.cache_folder), Verifier())


def scan_sources(sources: Sequence[Source], catalog: Catalog, on_progress: OnProgress | None = None) -> list[Scan]:
    """What is to be seen in each of `sources`, the logs of one job.

    `on_progress(done, total)` is told the bytes read so far and, where known, in all. Raises InputError where a
    source can't be read.
    """
    total = None if any(s.size is None for s in sources) else sum(s.size or 0 for s in sources)
    reader = Reader(catalog, total, [source.name for source in sources])
    seen: dict[int, Scan] = {}
    done = 0

    def tell(count: int) -> None:
        if on_progress:
            on_progress(done + count, total)

    apart = all(source.turn == (0, 0) for source in sources)  # not streamed out of one archive
    if total and total >= ALL_CORES_BYTES and len(sources) > 1 and apart:
        from logsense.crew import on_all_cores

        for number, (scan, note) in on_all_cores(lambda number: reader.pack(sources[number]), len(sources)):
            if scan is not None:
                seen[number], sources[number].note = reader.unpack(scan), note
                sources[number].parts = scan[2].parts
                done += sources[number].size or 0
                tell(0)
    for number, source in sorted(enumerate(sources), key=lambda one: one[1].turn):
        if number not in seen:
            seen[number] = reader.scan(source, tell)
            done += seen[number].size
    return [seen[number] for number in range(len(sources))]


class Reader:
    """Scans sources, one after the other; `total` is the number of bytes in all of them, where known."""

    def __init__(self, catalog: Catalog, total: int | None, names: Sequence[str]) -> None:
        count, self._places = len(names), places_of(names)
        self._catalog = catalog
        kept = _kept.get(catalog.key)
        self._verifier = kept[1] if kept else Verifier()
        self._engine: Engine | None = kept[0] if kept else None
        self._alone = count == 1
        if total is not None:
            self._engine_for(total)
        self._tail_bytes = CARRY_BYTES * CLOSELY // max(CLOSELY, count)
        self._many = count > CLOSELY
        self._paste_bytes = PASTE_OF_MANY_BYTES if self._many else PASTE_BYTES
        self._room: bytes | bytearray | None = None  # a block's memory, for one source after the other

    def scan(self, source: Source, on_bytes: Callable[[int], object] | None = None, *, threaded: bool = True) -> Scan:
        """What is to be seen in `source`; `on_bytes` is told now and then how many bytes of it were read."""
        reader = source.open()
        try:
            most = self._paste_bytes
            begin = b"" if source.size is not None and source.size > most else _begin(reader, most)
            small = len(begin) <= most and (source.size is None or source.size <= most)
            begin = _normal(begin, self._catalog) if small else begin or head_of(reader)
            numbers = None
            if newest_first(begin, whole=small):
                from logsense.turning import turned_round

                begin, numbers = turned_round(begin, reader, source)
            room, self._room = self._room, None
            engine = self._engine_for(len(begin) if small and self._alone else None)
            place = self._places.get(source.name, NOWHERE)
            closely = over_wraps(engine)
            scanner = Scanner(
                self._catalog,
                closely if small else engine,
                partial(records, place=place),
                source.name,
                size=None if self._many else len(begin) if small else source.size,
                searchers=searchers() if threaded and not small else 0,
                tail_bytes=self._tail_bytes,
                verifier=self._verifier,
                closely=None if small else closely,
                room=room,
            )
            scanner.feed(begin)
            if not small:
                _fill(scanner, reader, on_bytes)
        finally:
            reader.close()
        scan = scanner.finish()._replace(turned=numbers, parts=source.parts, place=place)
        self._room = scanner.room if self._many else None
        return scan

    def _engine_for(self, size: int | None) -> Engine:
        """The engine for all sources, which have `size` bytes, where that is known."""
        if self._engine is None:
            self._engine = engine_for(self._catalog.literals, size, self._catalog.cache_folder)
        return self._engine

    def pack(self, source: Source) -> tuple[Packed | None, str | None]:
        """What is to be seen in `source` and its note, fit to go to another process; None where it can't be read."""
        try:
            scan = self.scan(source, threaded=False)
        except InputError:
            return None, None
        glance = _ending(scan, self._catalog, GLANCE_BYTES, self._verifier) if self._many else Ending()
        slim = scan._replace(findings=(), glance=glance._replace(progress=()))
        return (_slim(scan.findings), _slim(glance.progress), slim), source.note

    def unpack(self, packed: Packed) -> Scan:
        """The scan that another process packed."""
        found, progress, scan = packed
        glance = scan.glance._replace(progress=tuple(self._whole(progress))) if scan.glance and self._many else None
        return scan._replace(findings=self._whole(found), glance=glance)

    def _whole(self, found: Slim) -> list[Finding]:
        ids, signature = self._catalog.ids, self._catalog.signature
        return [Finding(signature(bisect_left(ids, one)), record, at, held) for one, record, at, held in found]


def searchers() -> int:
    """How many threads may search a source that another one reads."""
    from logsense.crew import cores

    return min(cores() - 1, MOST_SEARCHERS)


def scan_text(text: bytes, catalog: Catalog, name: str) -> Scan:
    """What is to be seen in a log that is at hand as bytes."""
    from logsense.sources.fed import plain_text

    plain, parts = plain_text(text)
    return _scan_plain(_normal(plain, catalog), catalog, name)._replace(parts=parts)


def _scan_plain(plain: bytes, catalog: Catalog, name: str) -> Scan:
    numbers = None
    if newest_first(plain, whole=len(plain) <= PASTE_BYTES):
        from logsense.parse.turned import turned

        pieces, numbers = turned(plain)
        plain = b"".join(pieces)
    engine = engine_for(catalog.literals, len(plain), catalog.cache_folder)
    closely = over_wraps(engine)
    small = len(plain) <= PASTE_BYTES
    place = place_of(name)
    scanner = Scanner(
        catalog,
        closely if small else engine,
        partial(records, place=place),
        name,
        size=len(plain),
        closely=None if small else closely,
    )
    scanner.feed(plain)
    return scanner.finish()._replace(turned=numbers, place=place)


def endings_of(scans: Sequence[Scan], catalog: Catalog) -> list[Ending]:
    """The ends of the sources; of many, most are only glanced at."""
    closely, verifier = set(range(len(scans))), Verifier()
    if len(scans) > CLOSELY:
        own = [at for at, scan in enumerate(scans) if any(f.signature.kind == "failure" for f in scan.findings)]
        closely = set([*own, *(at for at in range(len(scans)) if at not in set(own))][:CLOSELY])
    return [
        _ending(scan, catalog, None, verifier)
        if at in closely
        else scan.glance or _ending(scan, catalog, GLANCE_BYTES, verifier)
        for at, scan in enumerate(scans)
    ]


def _slim(findings: Sequence[Finding]) -> Slim:
    return [(f.signature.id, f.record, f.at, f.captures) for f in findings]


def _ending(scan: Scan, catalog: Catalog, most_bytes: int | None, verifier: Verifier | None = None) -> Ending:
    tail, line, offset = scan.tail, scan.tail_line, scan.tail_offset
    if most_bytes is not None and len(tail) > most_bytes:
        cut = tail.find(b"\n", len(tail) - most_bytes, -1) + 1 or len(tail) - most_bytes
        line, offset, tail = line + tail.count(b"\n", 0, cut), offset + cut, tail[cut:]
    last: list[Record] = records(tail, source=scan.source, first_line=line, offset=offset, place=scan.place)
    return Ending(tuple(last), tuple(progress_in(catalog, last, verifier)))


def _fill(scanner: Scanner, reader: Raw, on_bytes: Callable[[int], object] | None) -> None:
    told, done = time.monotonic(), 0
    while count := reader.readinto(scanner.space()):
        scanner.filled(count)
        done += count
        if on_bytes and time.monotonic() - told > PROGRESS_EVERY_S:
            told = time.monotonic()
            on_bytes(done)


def _begin(reader: Raw, most: int) -> bytes:
    """The first bytes of `reader`: all of a small log, more than `most` of another."""
    chunks, size = [], 0
    buffer = bytearray(most + 1)
    while size <= most and (count := reader.readinto(buffer)):
        chunks.append(bytes(buffer[:count]))
        size += count
    return b"".join(chunks)


def _normal(data: bytes, catalog: Catalog) -> bytes:
    if len(data) > PASTE_BYTES:
        return data
    from logsense.parse.paste import normalise

    def knows(text: str) -> int:
        found = _scan_plain(text.encode("utf-8", "replace"), catalog, "").findings
        return len({(one.signature.id, slot) for one in found for slot in ("", *one.captures)})

    return normalise(data, knows) or data
