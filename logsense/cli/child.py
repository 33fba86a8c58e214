"""Processes of our own beside a job."""

from __future__ import annotations

import os
import sys

from logsense.machine.recorder.process import program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from subprocess import Popen


class Beside:
    """A process that runs the `main` of a module with `words`, out of reach of the terminal's keys.

    One that is `bound` prints nothing, and its standard input ends when it is released, or when we are gone.
    Raises OSError where it can't be started.
    """

    def __init__(self, module: str, words: Sequence[str], *, bound: bool) -> None:
        program = [sys.executable, "-c", program_of(module), *words]
        self._pipe = -1
        self._pid = 0
        self._process: Popen[bytes] | None = None
        if sys.platform != "win32" and hasattr(os, "posix_spawn"):
            self._spawn(program, bound)
            return
        import subprocess

        silent = subprocess.DEVNULL if bound else None
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE if bound else subprocess.DEVNULL, stdout=silent, stderr=silent,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )  # fmt: skip
        if self._process.stdin:
            self._pipe = os.dup(self._process.stdin.fileno())
            self._process.stdin.close()

    def _spawn(self, program: list[str], bound: bool) -> None:
        # Quicker by far than to import subprocess; a job is running already.
        if sys.platform == "win32":
            return
        reading = os.open(os.devnull, os.O_RDONLY)
        if bound:
            os.close(reading)
            reading, self._pipe = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        actions = [(os.POSIX_SPAWN_DUP2, reading, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (1, 2) if bound]
        try:
            self._pid = os.posix_spawn(program[0], program, os.environ, file_actions=actions, setpgroup=0)
        finally:
            os.close(reading)
            os.close(null)

    def release(self) -> None:
        """Lets a bound process come to its end."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1

    def ended(self) -> bool:
        """Whether it has ended."""
        if self._process is not None:
            return self._process.poll() is not None
        if sys.platform == "win32":
            return True
        try:
            return bool(os.waitpid(self._pid, os.WNOHANG)[0])
        except ChildProcessError:
            return True
