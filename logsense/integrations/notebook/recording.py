"""The record of this kernel, for whoever asks after its death: cells, output, last words, samples of the machine."""

from __future__ import annotations

import atexit
import os
import sys
import time

from logsense.integrations.notebook.death import Death
from logsense.recorder import folder, kernels
from logsense.recorder.output import Output
from logsense.util.files import working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

MOST_CODE = 2000


class Recording:
    """Records the kernel of `shell`. Where that can't be done, nothing else suffers."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._root = kernels.kernels_folder()
        self._who = _who(shell)
        self._began = time.monotonic()
        self._path: str | None = None
        self._output: Output | None = None
        self._fault: BinaryIO | None = None
        self._had_handler = False
        self._recorder = self._cell_bytes = 0

    def start(self) -> None:
        """Begins the record, with a process that outlives this one."""
        if not self._root:
            return
        try:
            self._path = folder.begin([self._who["notebook"] or "notebook"], self._root)
            folder.write_json(os.path.join(self._path, kernels.WHO), self._who)
            self._output = Output(os.path.join(self._path, folder.OUTPUT))
            self._listen_for_faults(os.path.join(self._path, kernels.FAULT))
            self._recorder = kernels.start(self._path, os.getpid(), self._began)
        except OSError:
            return
        # Where nobody can read how a process ended, this says that it was no accident.
        atexit.register(self._end_well)

    def write(self, data: bytes) -> None:
        """Takes in what was printed."""
        if self._output:
            self._output.write(data)

    def cell(self, code: str, number: int | None, *, runs: bool) -> None:
        """Says which cell runs, or that it has ended."""
        if self._path and self._output:
            if runs:
                self._cell_bytes = self._output.size_bytes
            said = {"number": number, "code": code[:MOST_CODE], "runs": runs, "from_bytes": self._cell_bytes}
            try:
                folder.write_json(os.path.join(self._path, kernels.CELL), said)
            except OSError:
                return

    def close(self) -> None:
        """Ends the record."""
        self._end_well()
        atexit.unregister(self._end_well)
        if self._fault:
            import faulthandler

            faulthandler.disable()
            if self._had_handler and sys.__stderr__:
                faulthandler.enable(sys.__stderr__)
            self._fault.close()
            self._fault = None
        if self._output:
            self._output.close()
        if self._recorder:
            import signal

            try:
                os.kill(self._recorder, signal.SIGTERM)
                os.waitpid(self._recorder, 0)
            except OSError:
                pass
            self._recorder = 0

    def last(self, *, again: bool = False) -> Death | None:
        """Of what the last kernel of this notebook died; None where it ended well, or the user knows. With `again`, the
        newest death of all that were recorded.
        """
        for run in kernels.ended_kernels(self._root, self._who) if self._root else ():
            death = Death(run)
            if again and not death.matters:
                continue
            return death if death.matters and (again or not kernels.was_reported(run.path)) else None
        return None

    def _listen_for_faults(self, path: str) -> None:
        import faulthandler

        self._had_handler = faulthandler.is_enabled()
        self._fault = open(path, "wb", buffering=0)  # noqa: SIM115 - open until the kernel dies
        # In a kernel, standard error leads to the server's terminal, where nobody looks.
        faulthandler.enable(self._fault)

    def _end_well(self) -> None:
        if self._path and not os.path.exists(os.path.join(self._path, folder.ENDED)):
            try:
                folder.close(self._path, 0, None, True, time.monotonic() - self._began)
            except OSError:
                pass


def _who(shell: Any) -> dict[str, str]:
    connection = ""
    try:
        from ipykernel.connect import get_connection_file

        connection = os.path.basename(get_connection_file())
    except Exception:  # noqa: BLE001 - kernels of other kinds have none
        connection = ""
    return {
        "connection": connection,
        # What Jupyter's server and VS Code call it by.
        "notebook": os.environ.get("JPY_SESSION_NAME") or str(shell.user_ns.get("__vsc_ipynb_file__") or ""),
        "folder": working_folder(),
    }
