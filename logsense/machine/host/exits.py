"""Waits for the end of a process that is not our child, and learns how it ended where the system tells."""

from __future__ import annotations

import os
import select
import sys
import time

from logsense.model.live import Ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    import psutil

EVERY_S = 0.2


class Exit:
    """The end of the process `pid`, which lives now. Raises ProcessLookupError where it does not."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._fd = -1
        self._began = _began(pid)
        self._process: psutil.Process | None = None
        try:
            self._fd = os.pidfd_open(pid)  # type: ignore[attr-defined,unused-ignore]
        except ProcessLookupError:
            raise
        except (AttributeError, OSError):  # no Linux, or an old one
            self._process = _process(pid)

    def wait(self, limit_s: float) -> bool:
        """Whether the process has ended within `limit_s` seconds."""
        if self._process is not None:
            until = time.monotonic() + limit_s
            while _lives(self._process):
                if time.monotonic() >= until:
                    return False
                time.sleep(min(EVERY_S, max(until - time.monotonic(), 0.0)))
            return True
        # The number of an open file may be too large for select().
        poll = select.poll()  # type: ignore[attr-defined,unused-ignore]
        poll.register(self._fd, select.POLLIN)  # type: ignore[attr-defined,unused-ignore]
        return bool(poll.poll(max(limit_s, 0.0) * 1000))

    def how(self) -> Ended | None:
        """How it ended, right after it did; None where its parent was quicker to take that away.

        Until then Linux shows the status of an ended process as the 52nd field of its state; Windows tells anybody who
        still has a handle of it. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        """
        if sys.platform == "win32":
            return Ended(self._process.wait(0)) if self._process is not None else None
        fields = _stat(self._pid)
        if len(fields) < 50 or fields[0] not in ("Z", "X") or fields[19] != self._began:
            return None
        status = int(fields[49])
        if os.WIFSIGNALED(status):
            return Ended(signal=os.WTERMSIG(status))
        return Ended(os.WEXITSTATUS(status))


def _process(pid: int) -> psutil.Process:
    import psutil

    try:
        return psutil.Process(pid)
    except psutil.Error:
        raise ProcessLookupError(pid) from None


def _lives(process: psutil.Process) -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _began(pid: int) -> str:
    """When a process began, in the system's ticks, which tells apart who has the same number later; "" if unknown."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _stat(pid: int) -> list[str]:
    """The fields of a process' state behind its name, which may hold blanks and brackets: from the third on."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []
