"""A command that we run, however a system lets us."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    OnBytes = Callable[[bytes], None]

CHUNK = 1 << 16
CANNOT_RUN, NOT_FOUND = 126, 127
SIGNALLED = 128


class Launched:
    """A command that runs. `status` is the exit status or None, `signal` the signal that ended it or None.

    `interrupted` says that Ctrl-C was pressed; `problem` why the command could not be started.
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
        """What a shell calls the end of the command: its status, or 128 and the number of its signal."""
        return SIGNALLED + self.signal if self.signal else self.status or 0

    def start(self) -> bool:
        """Starts the command; False where it can't be, with the reason in `problem` and a shell's status for it.

        Raises OSError where the system has no process, pipe or terminal left to watch it by.
        """
        raise NotImplementedError

    def run(self, on_bytes: OnBytes, on_tick: Callable[[], object] | None = None, tick_s: float = 1.0) -> None:
        """Passes everything on until the command has ended, and to `on_bytes` as well.

        `on_tick` is called about every `tick_s` seconds, and whenever something happens.
        """
        raise NotImplementedError

    def leave(self) -> None:
        """Lets what the command left behind go on printing."""
