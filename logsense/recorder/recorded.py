"""Reads the output of a recorded run as one source, with a marker for missing pieces."""

from __future__ import annotations

import os
from collections.abc import Sequence

from logsense.model.source import CHUNK, ChunkReader, File, Raw, Source

# Lines after a gap keep their numbers if at most so many are missing.
MOST_EMPTY_LINES = 10_000_000

Piece = tuple[str, int, int]  # path, first byte, first line


def recorded_source(pieces: Sequence[Piece], name: str) -> Source:
    """Return the source for the output in `pieces`, in their order."""
    size = sum(os.stat(path).st_size for path, _, _ in pieces if os.path.exists(path))
    return Source(name, size, lambda source: _Pieces(pieces, source))


def gap_marker(size_bytes: int, lines: int) -> bytes:
    """Return the replacement for missing output: a line that says so, and empty lines."""
    marker = f"\n[... {size_bytes:,} bytes, {lines:,} lines of output are missing here ...]\n".encode()
    return marker + b"\n" * (lines - 2) if lines <= MOST_EMPTY_LINES else marker


class _Pieces(ChunkReader):
    def __init__(self, pieces: Sequence[Piece], source: Source) -> None:
        super().__init__()
        self._waiting = list(pieces)
        self._source = source
        self._reader: Raw | None = None
        self._at_bytes = 0
        self._at_line = 0

    def next_chunk(self) -> bytes | None:
        while True:
            if self._reader is None:
                if not self._waiting:
                    return None
                path, offset_bytes, line = self._waiting.pop(0)
                self._reader = File(path, self._source)
                missing = b""
                if offset_bytes > self._at_bytes:
                    missing = gap_marker(offset_bytes - self._at_bytes, line - self._at_line)
                self._at_bytes, self._at_line = offset_bytes, line
                if missing:
                    return missing
            buffer = bytearray(CHUNK)
            count = self._reader.readinto(buffer)
            if count:
                self._at_bytes += count
                self._at_line += buffer.count(b"\n", 0, count)
                return bytes(buffer[:count])
            self._reader.close()
            self._reader = None

    def close(self) -> None:
        if self._reader:
            self._reader.close()
