"""Pass signals on to a job, each of them once, and survive them."""

from __future__ import annotations

import os
import signal
import sys
import time

from logsense.jobs.signals import FAULTS, Group, handle, handled, ignore, numbers, report_sent_faults

assert sys.platform != "win32", "it has no signals of this kind"

# A signal that went to the whole group reaches the second process within this time.
WAIT_S = 0.15
KEPT_S = 1.0
NEVER_S = 3600.0


class Forward:
    """The signals for the job, which is in our process group. `resized` says whether the window has a new size."""

    def __init__(self) -> None:
        self.interrupted = self.resized = False
        self._pid = 0
        self._group = Group()
        self._waiting: list[tuple[float, int]] = []
        self._group_signals: list[tuple[float, int]] = []
        self._wake = self._woken = -1

    @property
    def fds(self) -> list[int]:
        """The file descriptors that become readable when a turn is due."""
        return [fd for fd in (self._wake, self._group.fd) if fd >= 0]

    @property
    def due_s(self) -> float:
        """The time after which the next turn is due in any case."""
        return max(self._waiting[0][0] + self._wait_s - time.monotonic(), 0.0) if self._waiting else NEVER_S

    @property
    def _wait_s(self) -> float:
        return WAIT_S if self._group.fd >= 0 else 0.0

    def listen(self, unwanted: set[int]) -> None:
        """Catch signals from now on, except those in `unwanted`. Raise OSError if that fails."""
        self._wake, self._woken = os.pipe()
        for fd in (self._wake, self._woken):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        for number in (handled() | numbers(["CHLD", "WINCH"])) - unwanted:
            handle(number, ignore)
        for number in numbers(FAULTS) - unwanted:
            handle(number, signal.SIG_IGN)

    def start(self, pid: int, mask: set[int]) -> None:
        """Pass signals on to `pid` from now on. They have been blocked; `mask` are those that stay so."""
        self._pid = pid
        self._group.start(mask)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        report_sent_faults(self._woken)

    def turn(self) -> None:
        """Pass on the signals that only this process got."""
        self.resized = False
        now_s = time.monotonic()
        self._group_signals = [one for one in self._group_signals if now_s - one[0] < KEPT_S]
        self._group_signals += [(now_s, number) for number in self._group.received()]
        for number in self._came():
            self._notice(number, now_s)
        left = []
        for came_s, number in self._waiting:
            # Of several signals that come at once, the other process may have got one.
            if any(other == number and abs(other_s - came_s) <= WAIT_S for other_s, other in self._group_signals):
                continue
            if now_s - came_s >= self._wait_s:
                self.send(number)
            else:
                left.append((came_s, number))
        self._waiting = left

    def send(self, number: int) -> None:
        """Send a signal to the job."""
        try:
            os.kill(self._pid, number)
        except OSError:
            pass

    def _came(self) -> bytes:
        try:
            return os.read(self._wake, 1 << 12)
        except OSError:
            return b""

    def _notice(self, number: int, now_s: float) -> None:
        if number == signal.SIGWINCH:
            self.resized = True
        elif number != signal.SIGCHLD:
            self.interrupted = self.interrupted or number == signal.SIGINT
            self._waiting.append((now_s, number))

    def close(self) -> None:
        """Pass nothing on any more; signals are still ignored."""
        signal.set_wakeup_fd(-1)
        self._group.close()
        for fd in (self._wake, self._woken):
            os.close(fd)
