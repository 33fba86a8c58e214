"""Record the kernel of a notebook from a separate process, which outlives it, and find earlier records.

Kernels are next to the runs of `logsense run`, in folders of the same kind. A kernel writes its own output; `cell.json`
says which cell runs, and `fault.log` holds the output of faulthandler.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from subprocess import DEVNULL, Popen

from logsense.jobs.side_process import program_of
from logsense.machine.host.exits import Exit
from logsense.model.live import Ended
from logsense.model.run import RecordedRun
from logsense.recorder.folder import ENDED, close, state_folder
from logsense.recorder.runs import load_run, prune, run_names
from logsense.recorder.sampler import EVERY_S, Sampler
from logsense.util.files import object_in, write_json

CELL, FAULT, IDENTITY, REPORTED = "cell.json", "fault.log", "kernel.json", "told"
KEPT, KEPT_BYTES = 20, 512 << 20
# Signals that end a kernel when somebody restarts or shuts it down.
BY_HAND = (1, 2, 15)
RECORDER_S = 1.5


def kernels_folder() -> str | None:
    """Return the folder of all kernels; None without a home folder."""
    runs = state_folder()
    return os.path.join(os.path.dirname(runs), "kernels") if runs else None


def start(path: str, pid: int, began_s: float) -> int:
    """Start the recorder of kernel `pid` for the folder `path`; return the recorder's process. Raise OSError.

    `began_s` is when the kernel began, by the monotonic clock.
    """
    recorder = Popen(
        [sys.executable, "-c", program_of(__name__), path, str(pid), repr(began_s)],
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        start_new_session=True,  # ending a kernel ends its process group too
    )
    recorder.returncode = 0  # it outlives this process, which never waits for it
    return recorder.pid


def main(arguments: list[str]) -> None:
    """Sample until the kernel ends. Arguments: FOLDER, PID, and the monotonic time when it began."""
    path, pid, began_s = arguments[0], int(arguments[1]), float(arguments[2])
    # At normal priority: the exit status is readable only until the server reaps the kernel.
    sampler = Sampler(path, pid, began_s)
    result: Ended | None = None
    try:
        end = Exit(pid)
        sampler.write()
        sampler.write_machine()
        due = time.monotonic()
        while not end.wait(due - time.monotonic()):
            due = max(due + EVERY_S, time.monotonic() + EVERY_S / 10)
            sampler.write()
        result = end.result()
    except ProcessLookupError:
        pass  # it has already ended
    sampler.write()  # the counter of OOM kills is final only now
    sampler.write_kernel_log()
    if result and not os.path.exists(os.path.join(path, ENDED)):
        try:
            close(path, result.status, result.signal, result.signal in BY_HAND, time.monotonic() - began_s)
        except OSError:
            pass
    prune(os.path.dirname(path), KEPT, KEPT_BYTES)


def ended_kernels(root: str, who: dict[str, str]) -> Iterator[RecordedRun]:
    """Yield the ended kernels of the same notebook, newest first.

    `who` identifies the current kernel: connection file, notebook, folder.
    """
    for name in run_names(root):
        path = os.path.join(root, name)
        if not _same(object_in(os.path.join(path, IDENTITY)), who):
            continue
        found = load_run(root, name)
        if found is None or found.running:
            continue
        if found.ended is None and _wait_for(os.path.join(path, ENDED)):
            found = load_run(root, name) or found
        yield found


def was_reported(path: str) -> bool:
    """Return whether the user knows about the end of the kernel in `path`."""
    return os.path.exists(os.path.join(path, REPORTED))


def mark_reported(path: str) -> None:
    """Record that the user knows about the end of the kernel in `path`."""
    try:
        write_json(os.path.join(path, REPORTED), time.time())
    except OSError:
        pass


def _wait_for(path: str) -> bool:
    """Wait for the recorder of a kernel that has just died to write how it ended."""
    until = time.monotonic() + RECORDER_S
    while not os.path.exists(path):
        if time.monotonic() >= until:
            return False
        time.sleep(0.05)
    return True


def _same(there: dict[str, object], here: dict[str, str]) -> bool:
    # A server keeps the connection file across restarts; editors keep the notebook's name or the folder.
    for key in ("connection", "notebook", "folder"):
        if there.get(key) and here.get(key):
            if there[key] == here[key]:
                return True
            if key != "connection":
                return False
    return False
