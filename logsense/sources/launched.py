"""A command that we run, however a system lets us."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    OnBytes = Callable[[bytes], None]

CHUNK = 1 << 16
CANNOT_RUN, NOT_FOUND = 126, 127


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

    def start(self) -> bool:
        """Starts the command; False where it can't be, with the reason in `problem` and a shell's status for it."""
        raise NotImplementedError

    def run(self, on_bytes: OnBytes, on_tick: Callable[[], None] | None = None, tick_s: float = 1.0) -> None:
        """Passes everything on until the command has ended, and to `on_bytes` as well.

        `on_tick` is called about every `tick_s` seconds, and whenever something happens.
        """
        raise NotImplementedError


def launched(command: Sequence[str]) -> Launched:
    """What runs `command` on this system: on a terminal of its own where there can be one, else through pipes."""
    import os
    import sys

    if sys.platform != "win32" and hasattr(os, "fork"):
        from logsense.sources.job import Job

        return Job(command)
    from logsense.sources.job_pipes import PipedJob

    return PipedJob(command)
