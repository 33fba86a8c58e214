"""Record this kernel, to explain its death: cells, output, faulthandler's dump, samples of the machine."""

from __future__ import annotations

import atexit
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from logsense.integrations.notebook.kernel_death import KernelDeath
from logsense.recorder import folder, kernels
from logsense.recorder.output import Output
from logsense.util.errors import IgnoredErrors
from logsense.util.files import working_folder, write_json

MOST_CODE = 2000
KEPT_CHARACTERS = 256 << 10


class Recording:
    """Record the kernel of `shell`. Errors of the recording are ignored."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._root = kernels.kernels_folder()
        self._identity = _identity(shell)
        self._began = time.monotonic()
        self._path: str | None = None
        self._output: Output | None = None
        self._fault: BinaryIO | None = None
        self._had_handler = False
        self._recorder = self._cell_bytes = 0

    def start(self) -> None:
        """Start the recording, with a process that outlives this one."""
        if not self._root:
            return
        try:
            self._path = folder.begin([self._identity["notebook"] or "notebook"], self._root)
            write_json(os.path.join(self._path, kernels.IDENTITY), self._identity)
            self._output = Output(os.path.join(self._path, folder.OUTPUT))
            self._listen_for_faults(os.path.join(self._path, kernels.FAULT))
            self._recorder = kernels.start(self._path, os.getpid(), self._began)
        except OSError:
            return
        # If the exit status can't be read, this marks a normal end.
        atexit.register(self._end_well)

    def write(self, data: bytes) -> None:
        """Record output."""
        if self._output:
            self._output.write(data)

    def cell(self, code: str, number: int | None, *, runs: bool) -> None:
        """Record which cell runs or, with `runs` false, that it has ended."""
        if self._path and self._output:
            if runs:
                self._cell_bytes = self._output.size_bytes
            cell = {"number": number, "code": code[:MOST_CODE], "runs": runs, "from_bytes": self._cell_bytes}
            try:
                write_json(os.path.join(self._path, kernels.CELL), cell)
            except OSError:
                return

    def close(self) -> None:
        """Stop recording."""
        self._end_well()
        atexit.unregister(self._end_well)
        if self._fault:
            faulthandler.disable()
            if self._had_handler and sys.__stderr__:
                faulthandler.enable(sys.__stderr__)
            self._fault.close()
            self._fault = None
        if self._output:
            self._output.close()
        if self._recorder:
            try:
                os.kill(self._recorder, signal.SIGTERM)
                os.waitpid(self._recorder, 0)
            except OSError:
                pass
            self._recorder = 0

    def last(self, *, again: bool = False) -> KernelDeath | None:
        """Return the death of the last kernel of this notebook; None if it ended normally or was reported already.

        With `again`, return the newest recorded death.
        """
        for run in kernels.ended_kernels(self._root, self._identity) if self._root else ():
            death = KernelDeath(run)
            if again and not death.matters:
                continue
            return death if death.matters and (again or not kernels.was_reported(run.path)) else None
        return None

    def _listen_for_faults(self, path: str) -> None:
        self._had_handler = faulthandler.is_enabled()
        self._fault = open(path, "wb", buffering=0)  # noqa: SIM115 - open until the kernel dies
        # A kernel's standard error goes to the server's terminal, which users do not see.
        faulthandler.enable(self._fault)

    def _end_well(self) -> None:
        if self._path and not os.path.exists(os.path.join(self._path, folder.ENDED)):
            try:
                folder.close(self._path, 0, None, True, time.monotonic() - self._began)
            except OSError:
                pass


def _identity(shell: Any) -> dict[str, str]:
    connection = ""
    try:
        from ipykernel.connect import get_connection_file

        connection = os.path.basename(get_connection_file())
    except Exception:  # noqa: BLE001 - kernels of other kinds have none
        connection = ""
    return {
        "connection": connection,
        # The names that Jupyter's server and VS Code use.
        "notebook": os.environ.get("JPY_SESSION_NAME") or str(shell.user_ns.get("__vsc_ipynb_file__") or ""),
        "folder": working_folder(),
    }


class CapturedOutput:
    """Capture the streams of this process. Only their `write` is wrapped, as IPython does; kernels use it also for
    output below Python.
    """

    def __init__(self, record: Callable[[bytes], object] | None = None) -> None:
        self._record = record
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._kept: list[str] = []
        self._size = 0
        self._streams: list[tuple[Any, Callable[[str], Any] | None]] = []

    def begin(self) -> None:
        """Start capturing, at the beginning of a cell."""
        self.end()
        with self._lock:
            self._kept, self._size = [], 0
        for stream in (sys.stdout, sys.stderr):
            own, set_there = stream.write, "write" in getattr(stream, "__dict__", ())
            try:
                stream.write = self._wrapped(own)  # type: ignore[method-assign]
            except (AttributeError, TypeError):  # a stream that is written in C
                continue
            self._streams.append((stream, own if set_there else None))

    def end(self) -> None:
        """Stop capturing, and restore the streams, unless other code has wrapped them meanwhile."""
        for stream, own in self._streams:
            if getattr(stream.write, "logsense", None) is self:
                del stream.write
                if own:
                    stream.write = own
        self._streams.clear()

    def text(self) -> str:
        """Return the end of the output since the cell began."""
        with self._lock:
            return "".join(self._kept)[-KEPT_CHARACTERS:]

    def _wrapped(self, own: Callable[[str], Any]) -> Callable[[str], Any]:
        def write(text: str) -> Any:
            done = own(text)
            if os.getpid() == self._pid:  # forked processes have a copy of this object
                self._keep(text)
            return done

        write.logsense = self  # type: ignore[attr-defined]
        return write

    def _keep(self, text: str) -> None:
        with IgnoredErrors(), self._lock:
            self._kept.append(text)
            self._size += len(text)
            if self._size > 2 * KEPT_CHARACTERS:
                self._kept = ["".join(self._kept)[-KEPT_CHARACTERS:]]
                self._size = KEPT_CHARACTERS
            if self._record:
                self._record(text.encode("utf-8", "replace"))
