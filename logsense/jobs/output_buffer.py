"""Keep the first and the last bytes of the output in memory, for readers that are slower than the job."""

from __future__ import annotations

import threading
from collections import deque

FIRST_BYTES = LAST_BYTES = 12 << 20
BLOCK_BYTES = 64 << 10


class _Block:
    __slots__ = ("data", "lines_after", "lines_before", "offset_bytes")

    def __init__(self, offset_bytes: int, lines_before: int, data: bytes) -> None:
        self.offset_bytes, self.lines_before = offset_bytes, lines_before
        self.lines_after = 0  # counted as long as it is the newest one
        # What comes in large pieces is not copied.
        self.data = data if len(data) >= BLOCK_BYTES else bytearray(data)


class Reader:
    """The position of a reader, and how much it skipped because it was no longer kept."""

    def __init__(self) -> None:
        self.block = self.within_bytes = 0
        self.offset_bytes = self.lines = 0
        self.skipped_bytes = self.skipped_lines = 0


class OutputBuffer:
    """Store bytes without waiting for readers: one that falls behind skips the middle."""

    def __init__(self, first_bytes: int = FIRST_BYTES, last_bytes: int = LAST_BYTES) -> None:
        self._first_bytes, self._last_bytes = first_bytes, last_bytes
        self._first: list[_Block] = []
        self._last: deque[_Block] = deque()
        self._gone = 0  # blocks between the two
        self._newest: _Block | None = None
        self._changed = threading.Condition()
        self.size_bytes = self.lines = 0
        self.closed = False

    def put(self, data: bytes) -> None:
        """Add the next bytes."""
        with self._changed:
            newest = self._newest
            if newest and isinstance(newest.data, bytearray) and len(newest.data) + len(data) <= BLOCK_BYTES:
                newest.data += data
            else:
                self._add(_Block(self.size_bytes, self.lines, data))
            self.size_bytes += len(data)
            self.lines += data.count(b"\n")
            if self._newest:
                self._newest.lines_after = self.lines
            self._changed.notify_all()

    def _add(self, block: _Block) -> None:
        self._newest = block
        if block.offset_bytes < self._first_bytes:
            self._first.append(block)
            return
        self._last.append(block)
        while len(self._last) > 1 and block.offset_bytes - self._last[1].offset_bytes >= self._last_bytes:
            self._last.popleft()
            self._gone += 1

    def close(self) -> None:
        """Mark the end of the output."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait(self, reader: Reader, limit_s: float) -> bool:
        """Wait for new bytes for `reader`, or the end; return False if neither comes within `limit_s`."""
        with self._changed:
            if not self.closed and reader.offset_bytes == self.size_bytes:
                self._changed.wait(limit_s)
            return self.closed or reader.offset_bytes < self.size_bytes

    def read(self, reader: Reader) -> bytes:
        """Return the next bytes for `reader`, none if there are none yet; `reader` has what was skipped before them."""
        with self._changed:
            if reader.offset_bytes == self.size_bytes:
                return b""
            block = self._block_for(reader)
            data = bytes(block.data[reader.within_bytes :])
            reader.within_bytes += len(data)
            reader.offset_bytes += len(data)
            reader.lines = block.lines_after
        return data

    def _block_for(self, reader: Reader) -> _Block:
        block = self._block(reader.block)
        if block and reader.within_bytes == len(block.data):
            reader.block += 1
            reader.within_bytes = 0
            block = self._block(reader.block)
        if block is None:
            reader.block, reader.within_bytes = len(self._first) + self._gone, 0
            block = self._last[0]
            reader.skipped_bytes += block.offset_bytes - reader.offset_bytes
            reader.skipped_lines += block.lines_before - reader.lines
            reader.offset_bytes, reader.lines = block.offset_bytes, block.lines_before
        return block

    def _block(self, number: int) -> _Block | None:
        if number < len(self._first):
            return self._first[number]
        at = number - len(self._first) - self._gone
        return self._last[at] if 0 <= at < len(self._last) else None
