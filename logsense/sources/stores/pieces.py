"""A reader for responses that come in pages."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.model.source import ChunkReader, Source
from logsense.util.errors import InputError


class Pages(ChunkReader):
    """Reads `pages`. Raises InputError if the first can't be read; a later failure sets a note on `source`."""

    def __init__(self, pages: Iterator[bytes], source: Source) -> None:
        super().__init__()
        self._pages, self._source = pages, source
        self._first: bytes | None = next(pages, None)

    def next_chunk(self) -> bytes | None:
        """Return the next page; None at the end."""
        first, self._first = self._first, b""
        if first != b"":
            return first
        try:
            return next(self._pages, None)
        except InputError as error:
            self._source.note = f"reading stopped: {str(error).partition(': ')[2]}"
            return None

    def close(self) -> None:
        """End the query."""
        close = getattr(self._pages, "close", None)
        if close:
            close()
