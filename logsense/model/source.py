"""A source of log bytes, and the readers below that decode them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import FileIO

from logsense.model.line import Places
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, Protocol, TextIO, TypeGuard

    class Raw(Protocol):
        """Bytes in order. `readinto` fills the front of a buffer and returns the number of bytes, 0 at the end."""

        def readinto(self, buffer: bytearray | memoryview, /) -> int | None: ...  # noqa: D102

        def close(self) -> None: ...  # noqa: D102

    class Seekable(Raw, Protocol):
        """Bytes with random access."""

        def read(self, size: int = -1, /) -> bytes | None: ...  # noqa: D102

        def seek(self, to: int, whence: int = 0, /) -> int: ...  # noqa: D102

        def tell(self) -> int: ...  # noqa: D102

    class Step(Protocol):
        """A conversion from bytes to bytes, in pieces of any size."""

        def feed(self, chunk: bytes, /) -> bytes: ...  # noqa: D102

        def finish(self) -> bytes: ...  # noqa: D102

else:
    Raw = Seekable = Step = object  # other modules import the names; `typing` costs 10 ms of start-up

HEAD = 64 * 1024  # bytes that decide what a source is
CHUNK = 256 * 1024


class Source:
    """A log to read.

    `size` is its number of bytes, None if unknown; `note` says what went wrong while reading; `places`, if the log
    is unwrapped, where people find the lines read so far. Read the logs of one archive in the order of their `turn`:
    the archive's number, and their position in it.
    """

    __slots__ = ("name", "note", "opener", "places", "size", "turn")

    def __init__(self, name: str, size: int | None, opener: Callable[[Source], Raw]) -> None:
        self.name = name
        self.size = size
        self.opener = opener
        self.note: str | None = None
        self.places: Places | None = None
        self.turn = (0, 0)

    def open(self) -> Raw:
        """Return a reader at the start of the log. Raises InputError if the log can't be opened."""
        return self.opener(self)


class File(FileIO):
    """A file that ends where it can no longer be read, as on a stale network mount, and sets a note."""

    def __init__(self, path: str, source: Source | None = None) -> None:
        self._source = source
        try:
            super().__init__(path, "r")
        except OSError as error:
            raise InputError(f"can't read {path}: {reason(error)}") from None

    def readinto(self, buffer: bytearray | memoryview) -> int | None:  # type: ignore[override]
        """Fill the front of `buffer`; return the number of bytes, 0 at the end."""
        try:
            return super().readinto(buffer)
        except OSError as error:
            if self._source:
                self._source.note = f"reading stopped: {reason(error)}"
            return 0


class Stdin:
    """Standard input, read as it arrives."""

    def __init__(self, stream: BinaryIO | TextIO) -> None:
        below: Any = getattr(stream, "buffer", stream)
        # `readinto` of a buffered reader waits until the buffer is full.
        self._read: Callable[[bytearray | memoryview], int] = getattr(below, "readinto1", None) or below.readinto
        self._ended = False
        self._by_line = _is_read_by_line(below)
        if self._by_line:
            self._read = below.raw.readinto

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fill the front of `buffer` with what is available; return the number of bytes, 0 at the end."""
        # A terminal that is read again after its end waits for a second end.
        count = 0 if self._ended else self._read(buffer) or 0
        # Behind an unfinished line, Ctrl-D hands the line over, and only a second one would be read as an end.
        unfinished = self._by_line and 0 < count < len(buffer) and buffer[count - 1] != ord("\n")
        self._ended = not count or unfinished
        return count

    def close(self) -> None:
        """Leave standard input open."""


def _is_read_by_line(stream: Any) -> bool:
    """Return whether `stream` is a terminal that hands over whole lines."""
    if sys.platform == "win32" or not (hasattr(stream, "raw") and stream.isatty()):
        return False
    import termios

    try:
        return bool(termios.tcgetattr(stream.fileno())[3] & termios.ICANON)
    except termios.error:
        return False


class ChunkReader:
    """A reader that gets its bytes from `next_chunk`; subclasses override it."""

    def __init__(self, below: Raw | None = None) -> None:
        self.below = below
        self._left = memoryview(b"")

    def next_chunk(self) -> bytes | None:
        """Return the next bytes, possibly empty; None at the end."""
        raise NotImplementedError

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fill the front of `buffer`; return the number of bytes, 0 at the end."""
        while not self._left:
            chunk = self.next_chunk()
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def close(self) -> None:
        """Close the reader below."""
        if self.below:
            self.below.close()

    def read_below(self) -> bytes:
        """Return the next chunk of the reader below; empty at the end."""
        buffer = bytearray(CHUNK)
        count = self.below.readinto(buffer) if self.below else 0
        return bytes(buffer[:count])


class Replayed(ChunkReader):
    """Returns bytes that were already read, then the rest of the reader below."""

    def __init__(self, head: bytes, below: Raw) -> None:
        super().__init__(below)
        self._head: bytes | None = head

    def next_chunk(self) -> bytes | None:
        """Return the head, then chunk after chunk."""
        head, self._head = self._head, None
        return head or self.read_below() or None


class StepReader(ChunkReader):
    """Reads the reader below through `step`; `source` gets the step's places and, at the end, its note."""

    def __init__(self, below: Raw, step: Step, source: Source | None = None) -> None:
        super().__init__(below)
        self._step, self._source = step, source
        if source:
            source.places = getattr(step, "places", None)
        self._ended = False

    def next_chunk(self) -> bytes | None:
        """Return the next converted bytes, possibly empty; None at the end."""
        if self._ended:
            return None
        chunk = self.read_below()
        if chunk:
            return self._step.feed(chunk)
        self._ended = True
        rest = self._step.finish()
        error = getattr(self._step, "error", None)
        if error and self._source:
            raise InputError(f"can't read {self._source.name}: {error}")
        if self._source:
            self._source.note = getattr(self._step, "note", None) or self._source.note
        return rest


def can_seek(reader: Raw) -> TypeGuard[Seekable]:
    """Return whether `reader` has random access."""
    return hasattr(reader, "seek")


def head_of(reader: Raw, size: int = HEAD) -> bytes:
    """Return the next `size` bytes of `reader`, or fewer at its end."""
    buffer = bytearray(size)
    count = 0
    while count < size and (got := reader.readinto(memoryview(buffer)[count:])):
        count += got
    return bytes(buffer[:count])


def reason(error: OSError) -> str:
    """Return the message of `error`, in lower case."""
    return (error.strerror or os.strerror(error.errno or 0)).lower()
