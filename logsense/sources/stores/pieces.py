"""A reader over what comes page by page."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.model.source import ChunkReader, Source
from logsense.util.errors import InputError


class Pages(ChunkReader):
    """Gives the bytes of `pages`. Where the first can't be had, InputError is raised; later the source gets a note."""

    def __init__(self, pages: Iterator[bytes], source: Source) -> None:
        super().__init__()
        self._pages, self._source = pages, source
        self._first: bytes | None = next(pages, None)

    def following(self) -> bytes | None:
        """The next page; None at the end."""
        first, self._first = self._first, b""
        if first != b"":
            return first
        try:
            return next(self._pages, None)
        except InputError as error:
            self._source.note = f"reading stopped: {str(error).partition(': ')[2]}"
            return None

    def close(self) -> None:
        """Lets the store go."""
        close = getattr(self._pages, "close", None)
        if close:
            close()
