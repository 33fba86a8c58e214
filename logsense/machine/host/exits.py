"""Wait for the end of a process that is not a child, and determine how it ended if the system allows."""

from __future__ import annotations

import os
import select
import sys
import time

import psutil

from logsense.model.live import Ended
from logsense.util.files import text_of

EVERY_S = 0.2


class Exit:
    """The end of the live process `pid`. Raise ProcessLookupError if there is none."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._fd = -1
        self._start_time = _stat(pid)[19:20]  # in clock ticks, to recognize a reused number
        self._process: psutil.Process | None = None
        try:
            self._fd = os.pidfd_open(pid)  # type: ignore[attr-defined,unused-ignore]
        except ProcessLookupError:
            raise
        except (AttributeError, OSError):  # not Linux, or an old one
            try:
                self._process = psutil.Process(pid)
            except psutil.Error:
                raise ProcessLookupError(pid) from None

    def wait(self, limit_s: float) -> bool:
        """Return whether the process ended within `limit_s` seconds."""
        if self._process is not None:
            until = time.monotonic() + limit_s
            while _lives(self._process):
                if time.monotonic() >= until:
                    return False
                time.sleep(min(EVERY_S, max(until - time.monotonic(), 0.0)))
            return True
        # select() is limited to small file descriptors.
        poll = select.poll()  # type: ignore[attr-defined,unused-ignore]
        poll.register(self._fd, select.POLLIN)  # type: ignore[attr-defined,unused-ignore]
        return bool(poll.poll(max(limit_s, 0.0) * 1000))

    def result(self) -> Ended | None:
        """Return how it ended, right after the end; None if its parent has already reaped it.

        Until then Linux shows the status of a zombie in field 52 of its stat file; on Windows a handle suffices.
        https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        """
        if sys.platform == "win32":
            return Ended(self._process.wait(0)) if self._process is not None else None
        fields = _stat(self._pid)
        if len(fields) < 50 or fields[0] not in ("Z", "X") or fields[19:20] != self._start_time:
            return None
        status = int(fields[49])
        if os.WIFSIGNALED(status):
            return Ended(signal=os.WTERMSIG(status))
        return Ended(os.WEXITSTATUS(status))


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _stat(pid: int) -> list[str]:
    """Return the fields of a process's stat file after its name, which may hold blanks and brackets: from the third
    on."""
    return text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
