"""Read a log that comes in bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from logsense.match.engines import engine_for
from logsense.match.read import CLOSELY_BYTES, SMALL_BYTES, scan_plain, searchers
from logsense.match.scanner import Scanner
from logsense.model.knowledge import Catalog
from logsense.model.reading import Reading
from logsense.records.records import records
from logsense.sources.stream import StreamedText


class StreamReader:
    """Reads bytes that come in bit by bit: `feed` them, then get the reading with `finish`.

    The reading is the same as of a file of these bytes: the first megabyte is kept until it is known whether there is
    more; then `on_large` is called.
    """

    def __init__(self, catalog: Catalog, name: str, on_large: Callable[[], object] | None = None) -> None:
        self._on_large = on_large
        self._catalog, self._name, self._text = catalog, name, StreamedText()
        self._begin: list[bytes] = []
        self._size = 0
        self._scanner: Scanner | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        for text in self._text.pieces(data):
            self._take(text)

    def finish(self) -> Reading:
        """Return the reading of everything that was fed."""
        self._take(self._text.finish())
        if self._scanner is None:
            return scan_plain(b"".join(self._begin), self._text.places, self._catalog, self._name)
        return self._scanner.finish()._replace(places=self._text.places)

    def _take(self, text: bytes) -> None:
        self._size += len(text)
        if self._scanner is None:
            self._begin.append(text)
            if self._size <= SMALL_BYTES:
                return
            if self._on_large:
                self._on_large()
            engine = engine_for(self._catalog.literals, None, self._catalog.cache_folder)
            made, one = partial(records, places=self._text.places), min(searchers(), 1)
            self._scanner = Scanner(self._catalog, engine, made, self._name, closely_bytes=CLOSELY_BYTES, searchers=one)
            text, self._begin = b"".join(self._begin), []
        self._scanner.feed(text)
