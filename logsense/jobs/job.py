"""Run a command and pass its output through, every byte at once and unchanged, with a copy for logsense.

Output to a terminal goes through a pseudoterminal, so that colors, progress bars, prompts and line buffering stay as
they are without logsense. Each other stream goes through a pipe of its own. Input is left alone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence

from logsense.jobs.blocked_signals import unblock
from logsense.jobs.forward import Forward  # type: ignore[attr-defined,unused-ignore]  # not on Windows
from logsense.jobs.launched import CANNOT_RUN, CHUNK, NOT_FOUND, Launched, OnBytes
from logsense.jobs.passing import Out, say
from logsense.jobs.signals import catchable, close_others, ignored, restore_defaults, survive

assert sys.platform != "win32", "`logsense run` uses pipes there"

# Remaining output arrives at once when the command has ended; a child that it left behind may write forever.
DRAIN_MS = 60
DRAIN_MOST_BYTES = 64 << 20


class Job(Launched):
    """A command that runs on a pseudoterminal if logsense runs on a terminal."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._on_bytes: OnBytes | None = None
        self._routes: dict[int, Out] = {}
        self._terminal: Terminal | None = None
        self._forward = Forward()
        self._poller = select.poll()

    def start(self) -> bool:
        """Start the command; see Launched."""
        out, err = os.isatty(1), os.isatty(2)
        failure_fd, tell = os.pipe()
        self._terminal = Terminal.open() if out or err else None
        pipes = {fd: os.pipe() for fd, terminal in ((1, out), (2, err)) if not (terminal and self._terminal)}
        unwanted = ignored()
        self._forward.listen(unwanted)
        unblock()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, catchable())
        try:
            self.pid = os.fork()
            if self.pid == 0:
                self._become(pipes, tell, unwanted, mask)
        except BaseException:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            raise
        os.close(tell)
        if self._terminal:
            self._terminal.parent()
            self._routes[self._terminal.fd] = Out(1 if out else 2)
        for fd, (reading, writing) in pipes.items():
            os.close(writing)
            self._routes[reading] = Out(fd)
        self._forward.start(self.pid, mask)
        reason = os.read(failure_fd, 1000).decode("utf-8", "replace")
        os.close(failure_fd)
        if reason:
            os.waitpid(self.pid, 0)
            number, _, words = reason.partition(" ")
            self.status = NOT_FOUND if number == "2" else CANNOT_RUN
            self.problem = words
        return not reason

    def _become(self, pipes: dict[int, tuple[int, int]], tell: int, unwanted: set[int], mask: set[int]) -> None:
        """Become the command, in the child."""
        try:
            signal.set_wakeup_fd(-1)
            if self._terminal:
                self._terminal.child()
            for fd, (_, writing) in pipes.items():
                os.dup2(writing, fd)
            if 1 in pipes:
                # Into a pipe, Python writes in blocks, of which a killed process loses the last.
                os.environ.setdefault("PYTHONUNBUFFERED", "1")
            restore_defaults(unwanted)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execvp(self.command[0], self.command)  # noqa: S606
        except OSError as error:
            os.write(tell, f"{error.errno} {error.strerror}".encode())
        except BaseException as error:  # noqa: BLE001 - a child must never go on as if it were the parent
            os.write(tell, f"0 {error}".encode())
        finally:
            os._exit(CANNOT_RUN)

    def run(self, on_bytes: OnBytes, on_tick: Callable[[], object] | None = None, tick_s: float = 1.0) -> None:
        """Pass all output on until the command has ended."""
        self._on_bytes = on_bytes
        for fd in (*self._forward.fds, *self._routes):
            self._poller.register(fd, select.POLLIN)
        try:
            while not self._ended():
                self._guarded(lambda: self._turn(min(tick_s, self._forward.due_s)))
                if on_tick:
                    self._guarded(on_tick)
            self._guarded(self._drain)
        finally:
            self.interrupted = self._forward.interrupted
            self._forward.close()

    def _guarded(self, step: Callable[[], object]) -> None:
        """Take a step. If it fails, most likely without memory, stop copying; the job goes on."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - whatever it is, the job's bytes matter more
            if self._on_bytes:
                say(f"this run can't be explained in full ({type(error).__name__}); it goes on")
            self._on_bytes = None
            time.sleep(0.01)

    def _turn(self, limit_s: float) -> None:
        for fd, events in self._poller.poll(limit_s * 1000):
            if fd in self._routes:
                self._pass(fd)
            elif events & (select.POLLHUP | select.POLLNVAL):
                self._poller.unregister(fd)  # or it would be ready forever
        self._forward.turn()
        if self._terminal and self._forward.resized:
            # The command was sent this signal when we were, and may have looked at the old size.
            self._terminal.resize()
            self._forward.send(signal.SIGWINCH)

    def _pass(self, fd: int) -> None:
        """Pass on what can be read."""
        data = _read(fd)
        if not data:
            self._poller.unregister(fd)
            del self._routes[fd]
            os.close(fd)
            return
        self._routes[fd].write(data)
        if self._on_bytes:
            self._on_bytes(data)

    def _drain(self) -> None:
        poller = select.poll()
        for fd in self._routes:
            poller.register(fd, select.POLLIN)
        self._poller = poller
        left = DRAIN_MOST_BYTES
        while left > 0 and self._routes and (ready := poller.poll(DRAIN_MS)):
            for fd, _ in ready:
                left -= CHUNK
                self._pass(fd)

    def leave(self) -> None:
        """Leave a process behind that passes on what children of the command still print."""
        if not self._routes:
            return
        try:
            if os.fork() == 0:
                self._pass_the_rest()
        except Exception:  # noqa: BLE001 - no process is left for it, or a warning of Python's about threads is an error
            return

    def _pass_the_rest(self) -> None:
        try:
            signal.set_wakeup_fd(-1)
            survive()
            close_others((1, 2, *self._routes))
            self._on_bytes = None
            while self._routes:
                for fd, _ in self._poller.poll():
                    self._pass(fd)
        finally:
            os._exit(0)

    def _ended(self) -> bool:
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            self.status = 0  # somebody else has waited for it
            return True
        if pid == 0:
            return False
        if os.WIFSIGNALED(status):
            self.signal = os.WTERMSIG(status)
        else:
            self.status = os.WEXITSTATUS(status)
        return True


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, CHUNK)
    except OSError:  # the terminal's other side is gone: that is its end
        return b""


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
            if os.isatty(fd):
                os.dup2(self._inner, fd)

    def parent(self) -> None:
        """Close the command's side in the parent, so that its end is seen."""
        os.close(self._inner)

    def resize(self) -> None:
        """Give it the size of the real terminal."""
        import fcntl
        import termios

        try:
            size = fcntl.ioctl(1 if os.isatty(1) else 2, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        except OSError:
            pass
