"""Runs a command with its output passed through, every byte at once and unchanged, and handed on as a copy.

Where standard output is a terminal, the command gets a terminal of its own, so that colours, progress bars, prompts
and line buffering stay what they are without us. Streams that are no terminals go through pipes, each by itself.
"""

from __future__ import annotations

import os
import select
import signal
import sys

from logsense.sources.launched import CANNOT_RUN, CHUNK, NOT_FOUND, Launched
from logsense.sources.tee import write_all
from logsense.sources.terminal import (  # type: ignore[attr-defined,unused-ignore]  # not on Windows
    Terminal,
    has_terminal,
    is_terminal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from logsense.sources.launched import OnBytes

assert sys.platform != "win32", "launched() knows what runs a command there"

# What is still on its way when the command has ended arrives at once; a child that it left behind may write for ever.
DRAIN_MS = 60
DRAIN_MOST_BYTES = 64 << 20
FORWARDED = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


class Job(Launched):
    """A command that runs on a terminal of its own where we have one."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._on_bytes: OnBytes | None = None
        self._routes: dict[int, int] = {}
        self._closed: set[int] = set()
        self._ended_routes: set[int] = set()
        self._terminal: Terminal | None = None

    def start(self) -> bool:
        """Starts the command."""
        out, err = is_terminal(1), is_terminal(2)
        told, tell = os.pipe()
        self._terminal = Terminal.open() if out or err else None
        pipes = {fd: os.pipe() for fd, terminal in ((1, out), (2, err)) if not (terminal and self._terminal)}
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self._become(pipes, tell)
        os.close(tell)
        if self._terminal:
            self._terminal.parent()
            self._routes[self._terminal.fd] = 1 if out else 2
        for fd, (reading, writing) in pipes.items():
            os.close(writing)
            self._routes[reading] = fd
        reason = os.read(told, 1000).decode("utf-8", "replace")
        os.close(told)
        if reason:
            os.waitpid(self.pid, 0)
            number, _, words = reason.partition(" ")
            self.status = NOT_FOUND if number == "2" else CANNOT_RUN
            self.problem = words
        return not reason

    def _become(self, pipes: dict[int, tuple[int, int]], tell: int) -> None:
        """In the child: becomes the command."""
        try:
            if self._terminal:
                self._terminal.child()
            for fd, (_, writing) in pipes.items():
                os.dup2(writing, fd)
            if 1 in pipes:
                # Into a pipe, Python writes in blocks, of which a killed process loses the last.
                os.environ.setdefault("PYTHONUNBUFFERED", "1")
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it
            for name in ("SIGINT", *FORWARDED):
                number = getattr(signal, name)
                if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup asks for
                    signal.signal(number, signal.SIG_DFL)
            os.execvp(self.command[0], self.command)  # noqa: S606
        except OSError as error:
            os.write(tell, f"{error.errno} {error.strerror}".encode())
        except BaseException as error:  # noqa: BLE001 - a child must never go on as if it were the parent
            os.write(tell, f"0 {error}".encode())
        finally:
            os._exit(CANNOT_RUN)

    def run(self, on_bytes: OnBytes, on_tick: Callable[[], None] | None = None, tick_s: float = 1.0) -> None:
        """Passes everything on until the command has ended."""
        self._on_bytes = on_bytes
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        restore = self._listen(woken)
        poller = select.poll()
        for fd in (wake, *self._routes):
            poller.register(fd, select.POLLIN)
        typed = self._terminal.typed() if self._terminal else None
        if typed is not None:
            poller.register(typed, select.POLLIN)
        try:
            while not self._ended():
                self._turn(poller, wake, typed, tick_s)
                if on_tick:
                    on_tick()
            self._drain()
        finally:
            restore()
            if self._terminal:
                self._terminal.close()
            for fd in (wake, woken, *self._routes):
                _close(fd)

    def _turn(self, poller: select.poll, wake: int, typed: int | None, tick_s: float) -> None:
        for fd, _ in poller.poll(tick_s * 1000):
            if fd == wake:
                _read(wake)
                if self._terminal:
                    self._terminal.resize()
            elif fd == typed and self._terminal:
                keys = _read(fd)
                if not keys:
                    poller.unregister(fd)
                elif self._terminal.pass_keys(keys, self.pid):
                    self.interrupted = True
            elif not self._pass(fd):
                poller.unregister(fd)
                self._ended_routes.add(fd)

    def _pass(self, fd: int) -> bool:
        """Passes on what can be read; False at the end."""
        data = _read(fd)
        if not data:
            return False
        to = self._routes[fd]
        # Where nobody reads our output any more, the job is not killed for it, and its failure is still recorded.
        if to not in self._closed and not write_all(to, data):
            self._closed.add(to)
        if self._on_bytes:
            try:
                self._on_bytes(data)
            except Exception:  # noqa: BLE001 - whatever it is, the job's bytes matter more
                self._on_bytes = None
        return True

    def _drain(self) -> None:
        poller = select.poll()
        open_ = set(self._routes) - self._ended_routes
        for fd in open_:
            poller.register(fd, select.POLLIN)
        left = DRAIN_MOST_BYTES
        while left > 0 and open_ and (ready := poller.poll(DRAIN_MS)):
            for fd, _ in ready:
                left -= CHUNK
                if not self._pass(fd):
                    poller.unregister(fd)
                    open_.discard(fd)

    def _ended(self) -> bool:
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
        except ChildProcessError:
            self.status = 0  # somebody else has waited for it
            return True
        if pid == 0:
            return False
        if os.WIFSTOPPED(status):
            self._stopped(os.WSTOPSIG(status))
            return False
        if os.WIFSIGNALED(status):
            self.signal = os.WTERMSIG(status)
        else:
            self.status = os.WEXITSTATUS(status)
        return True

    def _stopped(self, number: int) -> None:
        """The command was stopped (Ctrl-Z): stop with it, so that the shell sees it, and go on with it."""
        if self._terminal:
            self._terminal.suspend()
        os.kill(os.getpid(), signal.SIGSTOP)
        if self._terminal:
            self._terminal.resume()
            os.killpg(self._terminal.group(self.pid), signal.SIGCONT)
        else:
            os.kill(self.pid, signal.SIGCONT)

    def _listen(self, woken: int) -> Callable[[], None]:
        """Passes signals on that are meant for the job, and lets the end of the child wake the loop."""
        before: dict[int, object] = {}

        def forward(number: int, _frame: FrameType | None) -> None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

        def interrupt(number: int, frame: FrameType | None) -> None:
            # A terminal sends Ctrl-C to the job itself; only one that runs on a terminal of its own needs ours.
            self.interrupted = True
            if self._terminal or not has_terminal():
                forward(number, frame)

        def wake(_number: int, _frame: FrameType | None) -> None:
            pass  # the file descriptor is what wakes

        handlers: dict[str, Callable[[int, FrameType | None], None]] = dict.fromkeys(FORWARDED, forward)
        handlers |= {"SIGINT": interrupt, "SIGCHLD": wake, "SIGWINCH": wake}
        for name, handler in handlers.items():
            number = getattr(signal, name)
            if name in ("SIGHUP", "SIGINT", "SIGQUIT") and signal.getsignal(number) is signal.SIG_IGN:
                continue  # nohup, or a job in the background: it stays ignored for both of us
            before[number] = signal.signal(number, handler)
        last = signal.set_wakeup_fd(woken, warn_on_full_buffer=False)

        def restore() -> None:
            signal.set_wakeup_fd(last)
            for number, handler in before.items():
                signal.signal(number, handler)  # type: ignore[arg-type]

        return restore


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return b""
    except OSError:  # the terminal's other side is gone: that is its end
        return b""


def _close(fd: int) -> None:
    try:
        os.close(fd)
    except OSError:
        pass
