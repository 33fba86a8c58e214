"""Pass signals on to a job, each of them once, and survive them."""

from __future__ import annotations

import math
import os
import signal
import sys
import time

from logsense.jobs.signals import ANSWER, FAULTS, Group, handle, handled, ignore, numbers, report_sent_faults

assert sys.platform != "win32", "it has no signals of this kind"

# What sends a signal to each process of a job in turn has sent it to all within this time.
WAIT_S = 0.15
# The second process answers at once unless the machine is very busy, or somebody has stopped it.
PATIENCE_S = 5.0
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
        self._asked_s = self._answered_s = -math.inf
        self._wake = self._woken = -1

    @property
    def fds(self) -> list[int]:
        """The file descriptors that become readable when a turn is due."""
        return [fd for fd in (self._wake, self._group.fd) if fd >= 0]

    @property
    def due_s(self) -> float:
        """The time after which the next turn is due in any case."""
        if not self._waiting:
            return NEVER_S
        is_asked = self._group.fd >= 0 and self._asked_s > self._answered_s
        wait_s = PATIENCE_S if is_asked else self._wait_s
        return max(self._waiting[0][0] + wait_s - time.monotonic(), 0.0)

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
        for number in self._group.received():
            if number == ANSWER:
                self._answered_s = self._asked_s
            else:
                self._group_signals.append((now_s, number))
        for number in self._came():
            self._notice(number, now_s)
        left = []
        for came_s, number in self._waiting:
            # Of several signals that come at once, the other process may have got one.
            if any(other == number and other_s >= came_s - WAIT_S for other_s, other in self._group_signals):
                continue
            if self._is_ours_alone(came_s, now_s):
                self.send(number)
            else:
                left.append((came_s, number))
        self._waiting = left
        if left and self._asked_s <= self._answered_s and now_s - left[0][0] >= self._wait_s:
            self._asked_s = now_s
            self._group.ask()

    def _is_ours_alone(self, came_s: float, now_s: float) -> bool:
        """Return whether the second process can't have got the same signal."""
        return self._group.fd < 0 or self._answered_s - came_s >= self._wait_s or now_s - came_s >= PATIENCE_S

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
