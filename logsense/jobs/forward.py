"""Passes signals on to a job, each of them once, and never dies of one."""

from __future__ import annotations

import os
import signal
import sys
import time

from logsense.jobs.signals import FAULTS, Group, await_them, handle, handled, ignore, numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

assert sys.platform != "win32", "it has no signals of this kind"

# So long after a signal, the other process of our group has told of it if it went to all of the group.
WAIT_S = 0.15
NEVER_S = 3600.0


class Forward:
    """Signals that come for the job `pid`. What a turn has found: `resized`, `stopped` and `continued`."""

    def __init__(self) -> None:
        self.interrupted = self.resized = self.stopped = self.continued = False
        self._pid = 0
        self._group = Group()
        self._waiting: list[tuple[float, int]] = []
        self._told: list[tuple[float, int]] = []
        self._wake = self._woken = -1

    @property
    def fds(self) -> list[int]:
        """What becomes readable when there is a turn to take."""
        return [fd for fd in (self._wake, self._group.fd) if fd >= 0]

    @property
    def due_s(self) -> float:
        """The time after which the next turn is due in any case."""
        return max(self._waiting[0][0] - time.monotonic(), 0.0) if self._waiting else NEVER_S

    def listen(self, unwanted: set[int], *, stops: bool) -> None:
        """Catches signals from now on, but for those that are `unwanted`. Raises OSError where that can't be."""
        self._wake, self._woken = os.pipe()
        for fd in (self._wake, self._woken):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        more = numbers(["CHLD", "WINCH", "CONT", *(["TSTP"] if stops else [])])
        for number in (handled() | more) - unwanted:
            handle(number, ignore)
        for number in numbers(FAULTS) - unwanted:
            handle(number, signal.SIG_IGN)

    def start(self, pid: int, mask: set[int]) -> None:
        """Passes signals on to `pid` from now on. They have been blocked; `mask` are those that stay so."""
        self._pid = pid
        self._group.start(mask)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        await_them(self._woken)

    def turn(self, job_group: int | None) -> None:
        """Passes on what has come. A signal that went to our group is for `job_group`, unless that is our own."""
        self.resized = self.stopped = self.continued = False
        now_s = time.monotonic()
        self._told = [one for one in self._told if one[0] > now_s]
        self._told += [(now_s + 1.0, number) for number in self._group.told()]
        for number in self._came():
            self._notice(number, now_s)
        left = []
        for due_s, number in self._waiting:
            told = next((one for one in self._told if one[1] == number), None)
            if told:
                self._told.remove(told)
                if job_group is not None:
                    _send(os.killpg, job_group, number)
            elif due_s <= now_s:
                _send(os.kill, self._pid, number)
            else:
                left.append((due_s, number))
        self._waiting = left

    def _came(self) -> bytes:
        try:
            return os.read(self._wake, 1 << 12)
        except OSError:
            return b""

    def _notice(self, number: int, now_s: float) -> None:
        if number == signal.SIGWINCH:
            self.resized = True
        elif number == signal.SIGTSTP:
            self.stopped = True
        elif number == signal.SIGCONT:
            self.continued = True
        elif number != signal.SIGCHLD:
            self.interrupted = self.interrupted or number == signal.SIGINT
            self._waiting.append((now_s + (WAIT_S if self._group.fd >= 0 else 0.0), number))

    def stop(self) -> None:
        """Stops our group as Ctrl-Z does; nothing happens where nobody could let it go on."""
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, handler)

    def close(self) -> None:
        """Passes nothing on any more; signals are still ignored."""
        signal.set_wakeup_fd(-1)
        self._group.close()
        for fd in (self._wake, self._woken):
            os.close(fd)


def _send(call: Callable[[int, int], None], to: int, number: int) -> None:
    try:
        call(to, number)
    except OSError:
        pass
