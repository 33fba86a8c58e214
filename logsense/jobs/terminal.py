"""A terminal for a command that runs within ours, and the modes of our own while it does."""

from __future__ import annotations

import os
import sys

from logsense.jobs.passing import Out

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
        self._keys = Out(fd)
        import termios

        if self._outer is not None and in_front(self._outer):  # else its modes are those of the shell's prompt
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

    def resize(self) -> None:
        """Gives the command's terminal the size of ours."""
        import fcntl
        import termios

        try:
            size = fcntl.ioctl(self._outer or 0, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        except OSError:
            pass

    def pass_keys(self, keys: bytes, pid: int) -> tuple[bool, bool]:
        """Passes typed keys on; gives whether one of them stops the command `pid`, and whether one interrupts it.

        The group of processes that the session's leader is in can't be stopped by its terminal (POSIX calls it
        orphaned), so the key that stops it is not passed on.
        """
        import termios

        modes = termios.tcgetattr(self.fd)
        reads_signals = bool(modes[3] & termios.ISIG)
        stop, interrupt = modes[6][termios.VSUSP], modes[6][termios.VINTR]
        stops = reads_signals and stop in keys and self.group(pid) == pid
        if stops:
            before, _, after = keys.partition(stop)
            keys = before + after
        self._keys.write(keys)
        return stops, reads_signals and interrupt in keys

    def group(self, pid: int) -> int:
        """The processes that the terminal's keys are for."""
        try:
            return os.tcgetpgrp(self.fd)
        except OSError:
            return pid

    def resume(self) -> bool:
        """Lets every key through to the command, where the keys are meant for us; gives whether they are."""
        if not is_terminal(0) or not in_front(0):
            return False
        import termios
        import tty

        try:
            if self._modes is None:
                self._modes = termios.tcgetattr(0)
            tty.setraw(0, termios.TCSANOW)
            # Output stays cooked: what the command's terminal did to its lines is undone by nobody.
        except termios.error:
            self._modes = None
        self.resize()
        return True

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


def in_front(fd: int) -> bool:
    """Whether we may set the terminal: the shell has not put us in the background, where that would stop us."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:  # it does not control us
        return True
