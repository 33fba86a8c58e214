"""Stores a job's output in pieces of bounded size, of which the first and the last are kept."""

from __future__ import annotations

import os

from logsense.util.files import AS_BYTES, listed

PIECE_BYTES = 8 << 20
FIRST_PIECES, LAST_PIECES = 1, 7


class Output:
    """Writes a job's output to `folder`. A full disk ends the recording, never the job."""

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


class Piece:
    """A piece of an output: its path, and its first byte and line (from 0)."""

    def __init__(self, path: str) -> None:
        offset, _, line = os.path.basename(path).partition("-")
        self.path, self.offset_bytes, self.line = path, int(offset), int(line)


def pieces(folder: str) -> list[Piece]:
    """Return the kept pieces, in order."""
    return [Piece(os.path.join(folder, name)) for name in listed(folder) if name.replace("-", "").isdigit()]
