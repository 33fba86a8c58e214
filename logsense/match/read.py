"""Reads the logs of one job: sources → blocks → findings, and the records at their ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO

from logsense.match.block import CARRY_BYTES
from logsense.match.engines import engine_for
from logsense.match.pieces import Engine
from logsense.match.progress import progress_in
from logsense.match.scanner import Scanner
from logsense.match.verify import Verifier
from logsense.model.knowledge import Catalog
from logsense.model.line import Places
from logsense.model.reading import NOWHERE, Reading, SourceEnd
from logsense.model.source import Raw, Source, head_of
from logsense.records.rank_by_name import places_of
from logsense.records.records import records, records_in
from logsense.unwrap.newest_first import is_newest_first, read_oldest_first
from logsense.unwrap.pasted import is_paste, undo_pasting
from logsense.util.cores import cores, on_all_cores
from logsense.util.errors import InputError

OnProgress = Callable[[int, int | None], None]
# Inputs up to the first size are read whole before they are searched; of many, up to the second.
SMALL_BYTES, SMALL_OF_MANY_BYTES = 1 << 20, 64 << 10
CLOSELY_BYTES = 64 << 10  # of the end of a larger one are searched for words that wraps and colors separate
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
    """Build once what is otherwise built for each job, for a process that reads many."""
    if catalog.key not in _kept:
        _kept[catalog.key] = (engine_for(catalog.literals, None, catalog.cache_folder), Verifier())


def scan_sources(sources: Sequence[Source], catalog: Catalog, on_progress: OnProgress | None = None) -> list[Reading]:
    """Return the reading of each of `sources`, the logs of one job.

    `on_progress(done, total)` gets the bytes read so far and, if known, in all. Raises InputError if a source can't be
    read.
    """
    total = None if any(s.size is None for s in sources) else sum(s.size or 0 for s in sources)
    reader = Reader(catalog, total, [source.name for source in sources])
    seen: dict[int, Reading] = {}
    done = 0

    def tell(count: int) -> None:
        if on_progress:
            on_progress(done + count, total)

    apart = all(source.turn == (0, 0) for source in sources)  # not streamed out of one archive
    if total and total >= ALL_CORES_BYTES and len(sources) > 1 and apart:
        for number, (reading, note) in on_all_cores(lambda number: reader.scan_apart(sources[number]), len(sources)):
            if reading:
                seen[number], sources[number].note, sources[number].places = reading, note, reading.places
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
        self._small_bytes = SMALL_OF_MANY_BYTES if self._many else SMALL_BYTES
        self._room: bytes | bytearray | None = None  # a block's memory, for one source after the other

    def scan(
        self, source: Source, on_bytes: Callable[[int], object] | None = None, *, threaded: bool = True
    ) -> Reading:
        """Return the reading of `source`; `on_bytes` gets now and then how many bytes of it were read."""
        reader = source.open()
        try:
            most = self._small_bytes
            begin = b"" if source.size is not None and source.size > most else _begin(reader, most)
            small = len(begin) <= most and (source.size is None or source.size <= most)
            places = source.places
            if small:
                begin, places = _as_written(begin, places)
            else:
                begin = begin or head_of(reader)
            if is_newest_first(begin, whole=small):
                begin, places = read_oldest_first(begin, reader, source, places)
            room, self._room = self._room, None
            engine = self._engine_for(len(begin) if small and self._alone else None)
            place = self._places.get(source.name, NOWHERE)
            scanner = Scanner(
                self._catalog,
                engine,
                partial(records, place=place, places=places),
                source.name,
                size=None if self._many else len(begin) if small else source.size,
                searchers=searchers() if threaded and not small else 0,
                closely_bytes=SMALL_BYTES if small else CLOSELY_BYTES,
                tail_bytes=self._tail_bytes,
                verifier=self._verifier,
                room=room,
            )
            scanner.feed(begin)
            if not small:
                _fill(scanner, reader, on_bytes)
        finally:
            reader.close()
        reading = scanner.finish()._replace(place=place, places=places)
        self._room = scanner.room if self._many else None
        return reading

    def _engine_for(self, size: int | None) -> Engine:
        """Return the engine for all sources, which have `size` bytes, if that is known."""
        if self._engine is None:
            self._engine = engine_for(self._catalog.literals, size, self._catalog.cache_folder)
        return self._engine

    def scan_apart(self, source: Source) -> tuple[Reading | None, str | None]:
        """Return the reading of `source` in a process of its own, and its note; None if it can't be read."""
        try:
            reading = self.scan(source, threaded=False)
        except InputError:
            return None, None
        glance = _ending(reading, self._catalog, GLANCE_BYTES, self._verifier) if self._many else None
        return reading._replace(end=glance), source.note


def searchers() -> int:
    """Return how many threads may search a source that another one reads."""
    return min(cores() - 1, MOST_SEARCHERS)


def scan_text(text: bytes, catalog: Catalog, name: str) -> Reading:
    """Return the reading of a log that is given as bytes."""
    from logsense.sources.stream import plain_text

    return scan_plain(*plain_text(text), catalog, name)


def scan_plain(plain: bytes, places: Places | None, catalog: Catalog, name: str) -> Reading:
    """Return the reading of a log that was unwrapped, whose lines people find at `places`."""
    source = Source(name, len(plain), lambda _: BytesIO(plain))
    source.places = places
    return Reader(catalog, len(plain), [name]).scan(source)


def with_ends(readings: Sequence[Reading], catalog: Catalog) -> list[Reading]:
    """Return `readings` with the ends of their sources; of many, only a little of most."""
    closely, verifier = set(range(len(readings))), Verifier()
    if len(readings) > CLOSELY:
        own = [
            at for at, reading in enumerate(readings) if any(f.signature.kind == "failure" for f in reading.findings)
        ]
        closely = set([*own, *(at for at in range(len(readings)) if at not in set(own))][:CLOSELY])
    return [
        reading
        if reading.end and at not in closely
        else reading._replace(end=_ending(reading, catalog, None if at in closely else GLANCE_BYTES, verifier))
        for at, reading in enumerate(readings)
    ]


def _ending(reading: Reading, catalog: Catalog, most_bytes: int | None, verifier: Verifier | None = None) -> SourceEnd:
    last = records_in(reading, reading.tail if most_bytes is None else reading.tail.last(most_bytes))
    return SourceEnd(tuple(last), tuple(progress_in(catalog, last, verifier)))


def _fill(scanner: Scanner, reader: Raw, on_bytes: Callable[[int], object] | None) -> None:
    told, done = time.monotonic(), 0
    while count := reader.readinto(scanner.space()):
        scanner.filled(count)
        done += count
        if on_bytes and time.monotonic() - told > PROGRESS_EVERY_S:
            told = time.monotonic()
            on_bytes(done)


def _begin(reader: Raw, most: int) -> bytes:
    """Return the first bytes of `reader`: all of a small log, more than `most` of another."""
    chunks, size = [], 0
    buffer = bytearray(most + 1)
    while size <= most and (count := reader.readinto(buffer)):
        chunks.append(bytes(buffer[:count]))
        size += count
    return b"".join(chunks)


def _as_written(data: bytes, places: Places | None) -> tuple[bytes, Places | None]:
    """Return a small log as its program wrote it, if it was pasted, and where people find its lines."""
    undone = undo_pasting(data) if places is None and is_paste(data) else None
    return undone or (data, places)
