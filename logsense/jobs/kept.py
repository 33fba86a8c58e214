"""The first and the last bytes of what passed, in memory, for those who take longer than the job to read them."""

from __future__ import annotations

import threading
from collections import deque

FIRST_BYTES = LAST_BYTES = 12 << 20
BLOCK_BYTES = 1 << 20
PIECE_BYTES = 256 << 10


class Reader:
    """Someone who reads what is kept: up to which byte and line, and what was gone before its turn."""

    def __init__(self) -> None:
        self.offset_bytes = self.lines = 0
        self.skipped_bytes = self.skipped_lines = 0


class Kept:
    """Takes bytes in without ever waiting for a reader: one that falls behind skips the middle."""

    def __init__(self, first_bytes: int = FIRST_BYTES, last_bytes: int = LAST_BYTES) -> None:
        self._first_bytes, self._last_bytes = first_bytes, last_bytes
        self._first = bytearray()
        self._last: deque[bytearray] = deque()
        self._held_bytes = 0
        self._gone_lines = 0  # in front of the oldest block of `_last`
        self._changed = threading.Condition()
        self.size_bytes = 0
        self.closed = False

    def put(self, data: bytes) -> None:
        """Takes the next bytes in."""
        with self._changed:
            room = self._first_bytes - len(self._first)
            if room > 0:
                self._first += data[:room]
                self._gone_lines += data.count(b"\n", 0, room)
                self._add(data[room:])
            else:
                self._add(data)
            self.size_bytes += len(data)
            self._changed.notify_all()

    def _add(self, data: bytes) -> None:
        if not data:
            return
        if self._last and len(self._last[-1]) + len(data) <= BLOCK_BYTES:
            self._last[-1] += data
        else:
            self._last.append(bytearray(data))
        self._held_bytes += len(data)
        while self._last and self._held_bytes - len(self._last[0]) >= self._last_bytes:
            gone = self._last.popleft()
            self._held_bytes -= len(gone)
            self._gone_lines += gone.count(b"\n")

    def close(self) -> None:
        """Says that nothing more comes."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait(self, reader: Reader, limit_s: float) -> bool:
        """Waits until there is something new for `reader`, or the end; False where neither comes within `limit_s`."""
        with self._changed:
            if not self.closed and reader.offset_bytes == self.size_bytes:
                self._changed.wait(limit_s)
            return self.closed or reader.offset_bytes < self.size_bytes

    def read(self, reader: Reader) -> bytes:
        """The next bytes for `reader`, none where there are none yet; `reader` says what was skipped before them."""
        with self._changed:
            data = self._read(reader)
        reader.offset_bytes += len(data)
        reader.lines += data.count(b"\n")
        return data

    def _read(self, reader: Reader) -> bytes:
        at = reader.offset_bytes
        if at < len(self._first):
            return bytes(self._first[at : at + PIECE_BYTES])
        oldest = self.size_bytes - self._held_bytes
        if at < oldest:
            reader.skipped_bytes += oldest - at
            reader.skipped_lines += self._gone_lines - reader.lines
            reader.offset_bytes = at = oldest
            reader.lines = self._gone_lines
        for block in self._last:
            if at < oldest + len(block):
                return bytes(block[at - oldest : at - oldest + PIECE_BYTES])
            oldest += len(block)
        return b""
