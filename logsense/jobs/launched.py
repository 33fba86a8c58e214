"""The common interface of commands that logsense runs, on every system."""

from __future__ import annotations

from collections.abc import Callable, Sequence

OnBytes = Callable[[bytes], None]

CHUNK = 1 << 16
CANNOT_RUN, NOT_FOUND = 126, 127
SIGNALLED = 128


class Launched:
    """A command that runs. `status` is its exit status or None, `signal` the signal that ended it or None.

    `interrupted` says whether Ctrl-C was pressed; `problem` is why the command could not be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self.pid = 0
        self.status: int | None = None
        self.signal: int | None = None
        self.interrupted = False
        self.problem = ""

    @property
    def ends_with(self) -> int:
        """The exit status as shells report it: that of the command, or 128 plus the number of its signal."""
        return SIGNALLED + self.signal if self.signal else self.status or 0

    def start(self) -> bool:
        """Start the command. If it can't be run, return False, with the reason in `problem` and a shell's status.

        Raise OSError if the system has no process, pipe or terminal left.
        """
        raise NotImplementedError

    def run(self, on_bytes: OnBytes, on_tick: Callable[[], object] | None = None, tick_s: float = 1.0) -> None:
        """Pass all output on until the command has ended, with a copy for `on_bytes`.

        Call `on_tick` about every `tick_s` seconds, and whenever something happens.
        """
        raise NotImplementedError

    def leave(self) -> None:
        """Let processes that the command left behind go on printing."""
