"""In a notebook: explains a cell that failed, under its traceback, which stays as it is.

%load_ext logsense      explain cells that fail from now on; say of what the last kernel died
%logsense               explain the last exception again
%logsense PATH          explain a log
%logsense doctor        a command of logsense: doctor, gpus, last, runs, causes, signatures
%logsense kernel        of what the last kernel died, once more
%%logsense              run the cell's lines in a shell, and explain them where they fail
"""

from __future__ import annotations

import os

from logsense.integrations.notebook.magics import Watcher
from logsense.integrations.notebook.recording import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from logsense.integrations.notebook.magics import Watcher

# Set to 0, nothing of a kernel is recorded.
RECORD = "LOGSENSE_RECORD_KERNEL"
_watchers: dict[int, Watcher] = {}


def load_ipython_extension(shell: Any) -> None:
    """Starts to explain the cells of this IPython shell that fail."""
    if id(shell) in _watchers:
        return

    # A shell in a terminal dies before the user's eyes; a kernel does not.
    kernel = getattr(shell, "kernel", None) is not None and os.environ.get(RECORD) != "0"
    recording = Recording(shell) if kernel else None
    watcher = _watchers[id(shell)] = Watcher(shell, recording)
    shell.events.register("pre_run_cell", watcher.before_cell)
    shell.events.register("post_run_cell", watcher.after_cell)
    shell.register_magic_function(watcher.line, "line", "logsense")
    shell.register_magic_function(watcher.cell, "cell", "logsense")
    if recording:
        watcher.tell_of_last_kernel()
        recording.start()


def unload_ipython_extension(shell: Any) -> None:
    """Stops it."""
    watcher = _watchers.pop(id(shell), None)
    if watcher:
        shell.events.unregister("pre_run_cell", watcher.before_cell)
        shell.events.unregister("post_run_cell", watcher.after_cell)
        watcher.close()
