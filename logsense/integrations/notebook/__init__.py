"""Explain failed cells of a notebook, below their tracebacks.

%load_ext logsense      explain cells that fail from now on, and why the last kernel died
%logsense               explain the last exception again
%logsense PATH          explain a log
%logsense doctor        run a command: doctor, gpus, last, runs, causes, signatures
%logsense kernel        explain again why the last kernel died
%%logsense              run the cell in a shell, and explain it if it fails
"""

from __future__ import annotations

import os
from typing import Any

from logsense.integrations.notebook.magics import Watcher
from logsense.integrations.notebook.recording import Recording

# The value 0 turns off the recording of kernels.
RECORD = "LOGSENSE_RECORD_KERNEL"
_watchers: dict[int, Watcher] = {}


def load_ipython_extension(shell: Any) -> None:
    """Start explaining failed cells of this IPython shell."""
    if id(shell) in _watchers:
        return

    # Users see a shell in a terminal die, but not a kernel.
    is_kernel = getattr(shell, "kernel", None) is not None
    recording = Recording(shell) if is_kernel and os.environ.get(RECORD) != "0" else None
    watcher = _watchers[id(shell)] = Watcher(shell, recording)
    shell.events.register("pre_run_cell", watcher.before_cell)
    shell.events.register("post_run_cell", watcher.after_cell)
    shell.register_magic_function(watcher.line, "line", "logsense")
    shell.register_magic_function(watcher.cell, "cell", "logsense")
    if recording:
        watcher.explain_last_kernel()
        recording.start()


def unload_ipython_extension(shell: Any) -> None:
    """Stop explaining."""
    watcher = _watchers.pop(id(shell), None)
    if watcher:
        shell.events.unregister("pre_run_cell", watcher.before_cell)
        shell.events.unregister("post_run_cell", watcher.after_cell)
        watcher.close()
