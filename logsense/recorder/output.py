"""Store a job's output in pieces of bounded size, the first and the last of them, and read it as one source."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence

from logsense.model.source import CHUNK, ChunkReader, File, Source
from logsense.util.files import AS_BYTES, listed

PIECE_BYTES = 8 << 20
FIRST_PIECES, LAST_PIECES = 1, 7
# Lines after a gap keep their numbers if at most so many are missing.
MOST_EMPTY_LINES = 10_000_000

Piece = tuple[str, int, int]  # path, first byte, first line


class Output:
    """Write a job's output to `folder`. A full disk ends the recording, never the job."""

    def __init__(self, folder: str, piece_bytes: int = PIECE_BYTES) -> None:
        self._folder, self._piece_bytes = folder, piece_bytes
        self._pieces: list[str] = []
        self._fd = -1
        self._room = 0
        self.size_bytes = 0
        self._lines = 0
        self.problem = ""

    def write(self, data: bytes) -> None:
        """Write the next bytes; the operating system has them on return."""
        if self.problem:
            self.size_bytes += len(data)
            return
        try:
            view = memoryview(data)
            while view:
                if self._room <= 0:
                    self._next()
                done = os.write(self._fd, view[: self._room])
                self._lines += (data if done == len(data) else bytes(view[:done])).count(b"\n")
                self.size_bytes += done
                self._room -= done
                view = view[done:]
        except OSError as error:
            self.problem = error.strerror or "the output can't be recorded"
            self.size_bytes += len(view)
            self.close()

    def skip(self, size_bytes: int, lines: int) -> None:
        """Leave a gap of so many bytes and lines, which could not be recorded."""
        if size_bytes:
            self.size_bytes += size_bytes
            self._lines += lines
            self._room = 0

    def close(self) -> None:
        """End the recording."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _next(self) -> None:
        self.close()
        path = os.path.join(self._folder, f"{self.size_bytes:015d}-{self._lines:012d}")
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | AS_BYTES, 0o600)
        self._pieces.append(path)
        self._room = self._piece_bytes
        if len(self._pieces) > FIRST_PIECES + LAST_PIECES:
            os.unlink(self._pieces.pop(FIRST_PIECES))


def pieces(folder: str) -> list[Piece]:
    """Return the kept pieces, in order."""
    found = []
    for name in listed(folder):
        offset, _, line = name.partition("-")
        if offset.isdigit() and line.isdigit():
            found.append((os.path.join(folder, name), int(offset), int(line)))
    return found


def recorded_source(pieces: Sequence[Piece]) -> Source:
    """Return the source for the output in `pieces`, in their order."""
    size = sum(os.stat(path).st_size for path, _, _ in pieces if os.path.exists(path))
    return Source("output", size, lambda source: _Pieces(pieces, source))


def gap_marker(size_bytes: int, lines: int) -> bytes:
    """Return the replacement for missing output: a line that says so, and empty lines."""
    marker = f"\n[... {size_bytes:,} bytes, {lines:,} lines of output are missing here ...]\n".encode()
    return marker + b"\n" * (lines - 2) if lines <= MOST_EMPTY_LINES else marker


class _Pieces(ChunkReader):
    def __init__(self, pieces: Sequence[Piece], source: Source) -> None:
        super().__init__()
        self._chunks = _chunks(pieces, source)

    def next_chunk(self) -> bytes | None:
        return next(self._chunks, None)

    def close(self) -> None:
        self._chunks.close()


def _chunks(pieces: Sequence[Piece], source: Source) -> Generator[bytes, None, None]:
    at_bytes = at_line = 0
    buffer = bytearray(CHUNK)
    for path, offset_bytes, line in pieces:
        if offset_bytes > at_bytes:
            yield gap_marker(offset_bytes - at_bytes, line - at_line)
        at_bytes, at_line = offset_bytes, line
        with File(path, source) as file:
            while count := file.readinto(buffer):
                at_bytes += count
                at_line += buffer.count(b"\n", 0, count)
                yield bytes(buffer[:count])
