"""Start processes of logsense beside a job."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

_LOOK_S = 0.005
# A process that has said in one line why it can't do its work ends with this status.
FAILED = 99
_PROGRAM = """
import os, sys
try:
    sys.path = [{home!r}, *filter(None, sys.path)]
    from {module} import main
except BaseException as error:
    said = " ".join(f"logsense: can't load {module} ({{type(error).__name__}}: {{error}})".split())
    os.write(2, f"{{said}}\\n".encode("utf-8", "replace"))
    os._exit({failed})
main(sys.argv[1:])
"""


def program_of(module: str) -> str:
    """Return a program for `python -c` that calls the `main` of `module` with the arguments that follow.

    The job's own folder must not come first where modules are found.
    """
    home = os.path.abspath(__file__)
    for _ in __name__.split("."):
        home = os.path.dirname(home)
    return _PROGRAM.format(home=home, module=module, failed=FAILED)


class SideProcess:
    """A process that runs the `main` of a module with `words`.

    A `bound` process prints nothing on standard output; its standard input, `fd`, ends when it is released or this
    process ends. A `silent` one prints nothing on standard error either. Only a `near` one gets the signals of the
    terminal's keys. Raise OSError if it can't be started.
    """

    def __init__(
        self, module: str, words: Sequence[str], *, bound: bool, silent: bool = True, near: bool = False
    ) -> None:
        program = [sys.executable, "-c", program_of(module), *words]
        self.fd = -1
        self._pid = 0
        self._process: Popen[bytes] | None = None
        self.status: int | None = None
        if sys.platform != "win32" and hasattr(os, "posix_spawn"):
            self._spawn(program, bound, bound and silent, near)
            return
        import subprocess

        null = subprocess.DEVNULL
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE if bound else null, stdout=null if bound else None,
            stderr=null if bound and silent else None,
            creationflags=0 if near else getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )  # fmt: skip
        if self._process.stdin:
            self.fd = os.dup(self._process.stdin.fileno())
            self._process.stdin.close()

    def _spawn(self, program: list[str], bound: bool, silent: bool, near: bool) -> None:
        # Much faster than importing subprocess, and a job is already running.
        if sys.platform == "win32":
            return
        reading = os.open(os.devnull, os.O_RDONLY)
        if bound:
            os.close(reading)
            reading, self.fd = os.pipe()
        null = os.open(os.devnull, os.O_WRONLY)
        actions = [(os.POSIX_SPAWN_DUP2, reading, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, null, fd) for fd, shut in ((1, bound), (2, silent)) if shut]
        try:
            if near:
                self._pid = os.posix_spawn(program[0], program, os.environ, file_actions=actions)
            else:
                self._pid = os.posix_spawn(program[0], program, os.environ, file_actions=actions, setpgroup=0)
        except OSError:
            self.release()
            raise
        finally:
            os.close(reading)
            os.close(null)

    def release(self) -> None:
        """Close the standard input of a bound process, which ends it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def ended(self) -> bool:
        """Return whether it has ended; then `status` is its exit status, or its signal as a negative number."""
        if self.status is not None:
            return True
        if self._process is not None:
            self.status = self._process.poll()
            return self.status is not None
        if sys.platform == "win32":
            return True
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:
            self.status = 0
            return True
        if pid:
            self.status = os.waitstatus_to_exitcode(status)
        return bool(pid)

    def wait(self, limit_s: float) -> bool:
        """Return whether it ends within `limit_s` seconds."""
        until_s = time.monotonic() + limit_s
        while not self.ended():
            if time.monotonic() >= until_s:
                return False
            time.sleep(_LOOK_S)
        return True

    def kill(self) -> None:
        """Kill it."""
        if not self.ended():
            if self._process is not None:
                self._process.kill()
            elif sys.platform != "win32":
                os.kill(self._pid, 9)
