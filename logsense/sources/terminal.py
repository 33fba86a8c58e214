"""A terminal for a command that runs within ours, and the modes of our own while it does."""

from __future__ import annotations

import os
import signal
import sys

from logsense.sources.tee import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

assert sys.platform != "win32", "it has no terminals of this kind"


class Terminal:
    """A terminal for the command, which looks like ours."""

    def __init__(self, fd: int, inner: int) -> None:
        self.fd = fd
        self._inner = inner
        self._outer = next((one for one in (0, 1, 2) if is_terminal(one)), None)
        self._modes: Any = None
        import termios

        if self._outer is not None:
            termios.tcsetattr(inner, termios.TCSANOW, termios.tcgetattr(self._outer))
            self.resize()

    @classmethod
    def open(cls) -> Terminal | None:
        """A new terminal; None where the system has none left."""
        try:
            return cls(*os.openpty())
        except OSError:
            return None

    def child(self) -> None:
        """In the child: makes it the terminal of all streams that are terminals."""
        import fcntl
        import termios

        streams = [fd for fd in (0, 1, 2) if is_terminal(fd)]
        os.setsid()
        fcntl.ioctl(self._inner, termios.TIOCSCTTY, 0)
        for fd in streams:
            os.dup2(self._inner, fd)
        os.close(self.fd)

    def parent(self) -> None:
        """In the parent: keeps only its own side open, so that the end of the command's side is seen."""
        os.close(self._inner)
        self.resume()

    def typed(self) -> int | None:
        """Where keys come from; None where input is no terminal and was left to the command."""
        return 0 if is_terminal(0) else None

    def resize(self) -> None:
        """Gives the command's terminal the size of ours."""
        import fcntl
        import termios

        try:
            size = fcntl.ioctl(self._outer or 0, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        except OSError:
            pass

    def pass_keys(self, keys: bytes, pid: int) -> bool:
        """Passes typed keys on. True where one of them interrupts the command.

        A group of processes whose session leader is the command can't be stopped by its terminal (POSIX calls it
        orphaned), so Ctrl-Z is done here.
        """
        import termios

        modes = termios.tcgetattr(self.fd)
        reads_signals = bool(modes[3] & termios.ISIG)
        stop, interrupt = modes[6][termios.VSUSP], modes[6][termios.VINTR]
        if reads_signals and stop in keys:
            before, _, keys = keys.partition(stop)
            write_all(self.fd, before)
            try:
                os.killpg(self.group(pid), signal.SIGSTOP)
            except OSError:
                pass
        write_all(self.fd, keys)
        return reads_signals and interrupt in keys

    def group(self, pid: int) -> int:
        """The processes that the terminal's keys are for."""
        try:
            return os.tcgetpgrp(self.fd)
        except OSError:
            return pid

    def resume(self) -> None:
        """Lets every key through to the command."""
        if is_terminal(0):
            import termios
            import tty

            try:
                self._modes = termios.tcgetattr(0)
                tty.setraw(0, termios.TCSANOW)
                # Output stays cooked: what the command's terminal did to its lines is undone by nobody.
            except termios.error:
                self._modes = None
            self.resize()

    def suspend(self) -> None:
        """Gives our terminal back as it was."""
        if self._modes is not None:
            import termios

            try:
                termios.tcsetattr(0, termios.TCSADRAIN, self._modes)
            except termios.error:
                pass
            self._modes = None

    def close(self) -> None:
        """Gives our terminal back; the command's own is closed by the job."""
        self.suspend()


def is_terminal(fd: int) -> bool:
    """Whether a file descriptor is open, and a terminal."""
    try:
        return os.isatty(fd)
    except OSError:
        return False


def has_terminal() -> bool:
    """Whether this process has a terminal that controls it."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True
