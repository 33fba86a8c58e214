"""A pseudoterminal for the output of a command. Input, keys and job control stay with the real terminal."""

from __future__ import annotations

import os
import sys

assert sys.platform != "win32", "it has no terminals of this kind"


class Terminal:
    """A pseudoterminal like the real terminal, for those of a command's output streams that are terminals.

    The command stays in our session and our process group, so that the shell and the keys of the terminal stop,
    continue and interrupt it, and processes that it leaves behind are not hung up when it ends.
    """

    def __init__(self, fd: int, inner: int) -> None:
        self.fd = fd
        self._inner = inner
        import termios

        modes = termios.tcgetattr(inner)
        modes[1] &= ~termios.OPOST  # our terminal does that
        termios.tcsetattr(inner, termios.TCSANOW, modes)
        self.resize()

    @classmethod
    def open(cls) -> Terminal | None:
        """Return a new terminal, or None if the system has none left."""
        try:
            return cls(*os.openpty())
        except OSError:
            return None

    def child(self) -> None:
        """Use it for the output streams, in the child."""
        for fd in (1, 2):
            if is_terminal(fd):
                os.dup2(self._inner, fd)

    def parent(self) -> None:
        """Close the command's side in the parent, so that its end is seen."""
        os.close(self._inner)

    def resize(self) -> None:
        """Give it the size of the real terminal."""
        import fcntl
        import termios

        try:
            size = fcntl.ioctl(1 if is_terminal(1) else 2, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        except OSError:
            pass


def is_terminal(fd: int) -> bool:
    """Return whether a file descriptor is open and is a terminal."""
    try:
        return os.isatty(fd)
    except OSError:
        return False
