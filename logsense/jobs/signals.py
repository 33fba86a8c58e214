"""Signals around a job: which of them logsense survives, and which have already reached the job."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable

Handler = Callable[[int, object], object] | signal.Handlers

# They do not end a process, or nobody can catch them; of SIGCHLD the status of children depends.
_LEFT_ALONE = ("KILL", "STOP", "CHLD", "CONT", "TSTP", "TTIN", "TTOU", "WINCH", "URG")
# A fault of our own comes again and again where it is caught.
FAULTS = ("SEGV", "BUS", "FPE", "ILL")
# Python ignores them, for itself.
_IGNORED_BY_PYTHON = ("PIPE", "XFSZ")
MOST_FILES = 1 << 12
ANSWER = 0  # no signal has this number


def numbers(names: Iterable[str]) -> set[int]:
    """Return the signals with these names that this system has."""
    return {int(number) for name in names if (number := getattr(signal, f"SIG{name}", None)) is not None}


def catchable() -> set[int]:
    """Return every signal that ends a process unless it is caught."""
    return {int(one) for one in signal.valid_signals()} - numbers(_LEFT_ALONE)


def handled() -> set[int]:
    """Return the signals that a handler can catch and that are passed on to a job."""
    return catchable() - numbers((*FAULTS, *_IGNORED_BY_PYTHON))


def fault_signals() -> set[int]:
    """Return the signals that the system sends for our own faults: they are passed on only if a process sent them."""
    return numbers((*FAULTS, "XFSZ")) if sys.platform == "linux" else set()


def survive() -> None:
    """Ignore every signal that would end this process. Processes that it starts from now on ignore them too."""
    for number in catchable():
        handle(number, signal.SIG_IGN)
    for number in numbers(["CHLD"]):
        handle(number, signal.SIG_DFL)  # whoever ignores it never learns how a child ended


def restore_defaults(unwanted: Iterable[int]) -> None:
    """Restore the default actions of signals, for a program that replaces this one; `unwanted` stay ignored."""
    for number in catchable() - set(unwanted):
        handle(number, signal.SIG_DFL)


def report_sent_faults(report_fd: int) -> None:
    """Block the `fault_signals` signals; a thread writes the number of each that a process sends to `report_fd`.

    A fault of our own still ends this process: no mask blocks it.
    """
    if sys.platform == "linux":
        signal.pthread_sigmask(signal.SIG_BLOCK, fault_signals())
        try:
            _thread.start_new_thread(_report_sent_faults, (os.dup(report_fd), os.getpid()))
        except (OSError, RuntimeError):
            return  # there may be no more files or threads


def _report_sent_faults(report_fd: int, ours: int) -> None:
    if sys.platform == "linux":
        while True:
            came = signal.sigwaitinfo(fault_signals())
            if came.si_pid != ours:
                try:
                    os.write(report_fd, bytes([came.si_signo]))
                except OSError:
                    return  # nobody reads it any more


def ignored() -> set[int]:
    """Return the signals that this process was started to ignore, as nohup does."""
    return {
        number for number in catchable() - numbers(_IGNORED_BY_PYTHON) if signal.getsignal(number) is signal.SIG_IGN
    }


def handle(number: int, action: Handler) -> None:
    """Set the action for a signal, if the system allows it."""
    try:
        signal.signal(number, action)
    except (OSError, ValueError):
        return


def close_others(kept: Iterable[int]) -> None:
    """Close all files except those in `kept`, in a copy of this process that needs no others."""
    low = 0
    for fd in sorted(set(kept)):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, max(low, MOST_FILES))


def ignore(_number: int, _frame: object) -> None:
    """Handle a signal that the wake-up descriptor reports."""


class Group:
    """Detect which signals went to the whole process group or control group, and so to the job as well.

    The system does not tell who else got a signal. So a second process in our group does nothing but report its own,
    and answer when asked: what came to it before has been reported then, however busy the machine is.
    """

    def __init__(self) -> None:
        self.fd = -1
        self._lifeline = -1

    def start(self, mask: set[int]) -> None:
        """Start the second process while signals are blocked; `mask` are those that are blocked otherwise.

        If that fails, every signal counts as sent to this process alone.
        """
        if sys.platform == "win32":
            return
        try:
            self.fd, report_fd = os.pipe()
            held, self._lifeline = os.pipe()
            if os.fork() == 0:
                _report(report_fd, held, mask)
            os.close(report_fd)
            os.close(held)
            os.set_blocking(self.fd, False)
            os.set_blocking(self._lifeline, False)
        except OSError:
            self.close()

    def received(self) -> bytes:
        """Return the numbers of the signals that the second process got since the last call, and ANSWER for each
        answer."""
        if self.fd < 0:
            return b""
        try:
            numbers = os.read(self.fd, 1 << 12)
        except OSError:
            return b""
        if not numbers:
            self.close()  # somebody killed it
        return numbers

    def ask(self) -> None:
        """Have the second process answer once it has reported the signals that came to it before."""
        try:
            os.write(self._lifeline, b"?")
        except BlockingIOError:
            return  # it does not read, since it was stopped
        except OSError:
            self.close()

    def close(self) -> None:
        """End the second process."""
        for fd in (self.fd, self._lifeline):
            if fd >= 0:
                os.close(fd)
        self.fd = self._lifeline = -1


def _report(report_fd: int, held: int, mask: set[int]) -> None:
    """Write the number of every signal to `report_fd` until `held` ends; this is the second process."""
    if sys.platform == "win32":
        return
    try:
        close_others((report_fd, held))
        os.set_blocking(report_fd, False)
        signal.set_wakeup_fd(report_fd, warn_on_full_buffer=False)
        for number in handled():
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, ignore)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        report_sent_faults(report_fd)
        while os.read(held, 1):
            # A handler has run, and written, before this call returns; faults are up to the other thread.
            while signal.sigpending() & fault_signals():
                time.sleep(0.001)
            os.write(report_fd, bytes([ANSWER]))
    except BaseException:  # noqa: BLE001, S110 - a copy of us must never go on as if it were us
        pass
    finally:
        os._exit(0)
