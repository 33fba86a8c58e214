"""Records the kernel of a notebook from a process of its own, which outlives it, and finds what was recorded.

Kernels lie beside the runs of `logsense run`, in folders of the same kind. What they print is written by themselves;
beside it `cell.json` says which cell runs, and `fault.log` holds Python's own last words.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from logsense.jobs.beside import program_of
from logsense.machine.host.exits import Exit
from logsense.model.live import Ended
from logsense.model.run import RecordedRun
from logsense.recorder.folder import ENDED, close, state_folder, write_json
from logsense.recorder.runs import load_run, prune, read_json, run_names
from logsense.recorder.sampler import EVERY_S, Sampler

CELL, FAULT, WHO, TOLD = "cell.json", "fault.log", "kernel.json", "told"
KEPT, KEPT_BYTES = 20, 512 << 20
# What ends a kernel that somebody restarts or shuts down.
BY_HAND = (1, 2, 15)
RECORDER_S = 1.5


def kernels_folder() -> str | None:
    """Where kernels are kept; None where there is no home."""
    runs = state_folder()
    return os.path.join(os.path.dirname(runs), "kernels") if runs else None


def start(path: str, pid: int, began: float) -> int:
    """Starts the recorder of the kernel `pid` for the folder `path`; gives its process. Raises OSError."""
    import subprocess

    null = subprocess.DEVNULL
    recorder = subprocess.Popen(
        [sys.executable, "-c", program_of(__name__), path, str(pid), repr(began)],
        stdin=null,
        stdout=null,
        stderr=null,
        start_new_session=True,  # whoever ends the kernel ends its group too
    )
    recorder.returncode = 0  # it outlives us; nobody waits for it
    return recorder.pid


def main(arguments: list[str]) -> None:
    """Samples until the kernel ends: FOLDER, PID, and the steady clock's time when it began."""
    path, pid, began = arguments[0], int(arguments[1]), float(arguments[2])
    # Not at a lower priority: how a kernel ended can be read only until its server has noticed.
    sampler = Sampler(path, pid, began)
    how: Ended | None = None
    try:
        end = Exit(pid)
        sampler.write()
        sampler.write_machine()
        due = time.monotonic()
        while not end.wait(due - time.monotonic()):
            due = max(due + EVERY_S, time.monotonic() + EVERY_S / 10)
            sampler.write()
        how = end.how()
    except ProcessLookupError:
        pass  # it has died already
    sampler.write()  # what the kernel counted when it killed the process stands there only now
    sampler.write_kernel_log()
    if how and not os.path.exists(os.path.join(path, ENDED)):
        try:
            close(path, how.status, how.signal, how.signal in BY_HAND, time.monotonic() - began)
        except OSError:
            pass
    prune(os.path.dirname(path), KEPT, KEPT_BYTES)


def ended_kernels(root: str, who: dict[str, str]) -> Iterator[RecordedRun]:
    """The kernels of the same notebook that are no more, newest first.

    `who` says what is known of this one: its connection file, the notebook's name, the folder.
    """
    for name in run_names(root):
        path = os.path.join(root, name)
        if not _same(read_json(os.path.join(path, WHO)) or {}, who):
            continue
        found = load_run(root, name)
        if found is None or found.running:
            continue
        if found.ended is None and _wait_for(os.path.join(path, ENDED)):
            found = load_run(root, name) or found
        yield found


def was_reported(path: str) -> bool:
    """Whether the user knows of the end of the kernel in `path`."""
    return os.path.exists(os.path.join(path, TOLD))


def mark_reported(path: str) -> None:
    """The user knows of the end of the kernel in `path`."""
    try:
        write_json(os.path.join(path, TOLD), time.time())
    except OSError:
        pass


def _wait_for(path: str) -> bool:
    """A kernel that has died just now: its recorder is about to write down how."""
    until = time.monotonic() + RECORDER_S
    while not os.path.exists(path):
        if time.monotonic() >= until:
            return False
        time.sleep(0.05)
    return True


def _same(there: dict[str, object], here: dict[str, str]) -> bool:
    # A server keeps the connection file over restarts; editors start anew under the same name, or in the same folder.
    for key in ("connection", "notebook", "folder"):
        if there.get(key) and here.get(key):
            if there[key] == here[key]:
                return True
            if key != "connection":
                return False
    return False
