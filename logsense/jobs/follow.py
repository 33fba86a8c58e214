"""Follow files that are being written, and learn how long their silences usually are."""

from __future__ import annotations

import os
from collections import deque

from logsense.util.files import AS_BYTES

# The usual interval is unknown until there were so many.
LEAST_GAPS = 20
UNKNOWN_S = 900.0
LEAST_S, MOST_S = 60.0, 3600.0
TIMES = 10.0
CHUNK = 1 << 20


class Silence:
    """Learn the usual interval between outputs. `fixed_s` is a limit that the user set."""

    def __init__(self, now_s: float, fixed_s: float | None = None) -> None:
        self._fixed_s = fixed_s
        self._gaps: deque[float] = deque(maxlen=500)
        self._last_s = now_s
        self._reported = False

    def received(self, now_s: float) -> None:
        """Record that output came at `now_s`."""
        self._gaps.append(now_s - self._last_s)
        self.still(now_s)

    def still(self, now_s: float) -> None:
        """Record activity that says nothing about the usual interval."""
        self._last_s = now_s
        self._reported = False

    def stall_s(self, now_s: float) -> float | None:
        """Return for how long nothing has come if that is a stall, once per stall; otherwise None."""
        silent_s = now_s - self._last_s
        if self._reported or silent_s < self.limit_s:
            return None
        self._reported = True
        return silent_s

    @property
    def usual_s(self) -> float | None:
        """The interval that 95 % do not exceed; None if it is not known yet."""
        if len(self._gaps) < LEAST_GAPS:
            return None
        return sorted(self._gaps)[int(0.95 * (len(self._gaps) - 1))]

    @property
    def limit_s(self) -> float:
        """A longer silence is a stall: what the user set, or many times the usual interval."""
        if self._fixed_s is not None:
            return self._fixed_s
        if self.usual_s is None:
            return UNKNOWN_S
        return min(max(TIMES * self.usual_s, LEAST_S, 2 * max(self._gaps)), MOST_S)


class Follower:
    """Read what is new in the file at `path`. `restarts` counts how often it was replaced or truncated."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.restarts = 0
        self._fd = -1
        self._inode: tuple[int, int] | None = None
        self._at = 0

    def read(self) -> bytes:
        """Return the next bytes; none if there are no new ones, or no file yet."""
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
        """Close the file."""
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
