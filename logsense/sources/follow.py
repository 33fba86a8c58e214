"""Follows a file that somebody else writes: over late creation, rotation, truncation and replacement."""

from __future__ import annotations

import os

from logsense.model.opening import AS_BYTES

CHUNK = 1 << 20


class Follower:
    """Gives what is new in the file at `path`. `restarts` counts how often it began anew."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.restarts = 0
        self._fd = -1
        self._inode: tuple[int, int] | None = None
        self._at = 0

    def read(self) -> bytes:
        """The next bytes; none where there are no new ones, or no file yet."""
        try:
            if self._fd < 0 and not self._open():
                return b""
            data = os.read(self._fd, CHUNK)
            if data:
                self._at += len(data)
                return data
            if self._replaced() or os.fstat(self._fd).st_size < self._at:
                self.close()
                self.restarts += 1
                return self.read() if self._open() else b""
        except OSError:  # a stale network mount, say: it may come back
            self.close()
        return b""

    def close(self) -> None:
        """Lets go of the file."""
        if self._fd >= 0:
            try:
                os.close(self._fd)
            except OSError:
                pass
        self._fd = -1

    def _open(self) -> bool:
        try:
            self._fd = os.open(self.path, os.O_RDONLY | AS_BYTES)
        except OSError:
            return False
        found = os.fstat(self._fd)
        self._inode, self._at = (found.st_dev, found.st_ino), 0
        return True

    def _replaced(self) -> bool:
        try:
            found = os.stat(self.path)
        except OSError:
            return False  # moved away, and no new one yet: its writer may still write to the old one
        return (found.st_dev, found.st_ino) != self._inode
