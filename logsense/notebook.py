"""In a notebook: explains a cell that failed, under its traceback, which stays as it is.

%load_ext logsense      explain cells that fail from now on
%logsense               explain the last exception again
%logsense PATH          explain a log
%logsense doctor        a command of logsense: doctor, gpus, last, runs, causes, signatures
%%logsense              run the cell's lines in a shell, and explain them where they fail
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

from logsense.api import Explanation, explain, look_here, worth_telling
from logsense.sources.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Output of a shell cell that is kept for the explanation.
KEPT_BYTES = 64 << 20
# What `%logsense` runs as a command where no file has that name.
COMMANDS = ("doctor", "gpus", "last", "runs", "causes", "signatures")
_BY_HAND = (KeyboardInterrupt, SystemExit)


class Watcher:
    """Explains what goes wrong in one shell of IPython."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._last: BaseException | None = None

    def after_cell(self, result: Any) -> None:
        """Called by IPython behind every cell, once its traceback stands."""
        error = result.error_in_exec or result.error_before_exec
        if error is None or isinstance(error, _BY_HAND):
            return
        self._last = error
        try:
            found = explain(error, live=True)
            if worth_telling(found):
                show(found)
        except Exception:
            if os.environ.get("LOGSENSE_DEBUG"):
                raise

    def line(self, line: str) -> None:
        """`%logsense`: the last exception, the log that the line names, or a command."""
        words = line.strip()
        if words.split(" ")[0] in COMMANDS and not os.path.exists(words):
            run_shell(f"{shlex.quote(sys.executable)} -m logsense {words}")
            return
        error = self._last or getattr(sys, "last_value", None)
        if not words and error is None:
            print("logsense: no cell has failed yet; %logsense PATH explains a log", file=sys.stderr)  # noqa: T201
            return
        try:
            show(explain(words or error))  # type: ignore[arg-type]
        except InputError as wrong:
            print(f"logsense: {wrong}", file=sys.stderr)  # noqa: T201

    def cell(self, line: str, cell: str) -> None:
        """`%%logsense`: runs the cell in a shell, shows its output as it comes, and explains a failure.

        As the exit status, `_exit_code` is set, as IPython's own `!` does.
        """
        status, output = run_shell(f"{line}\n{cell}" if line.strip() else cell)
        self._shell.user_ns["_exit_code"] = status
        if status:
            show(_with_status(output, status))


def load_ipython_extension(shell: Any) -> None:
    """Starts to explain the cells of this IPython shell that fail."""
    watcher = Watcher(shell)
    shell.events.register("post_run_cell", watcher.after_cell)
    shell.register_magic_function(watcher.line, "line", "logsense")
    shell.register_magic_function(watcher.cell, "cell", "logsense")
    _watchers[id(shell)] = watcher


def unload_ipython_extension(shell: Any) -> None:
    """Stops it."""
    watcher = _watchers.pop(id(shell), None)
    if watcher:
        shell.events.unregister("post_run_cell", watcher.after_cell)


_watchers: dict[int, Watcher] = {}


def show(found: Explanation) -> None:
    """Shows the answer in the cell's output: HTML where the notebook can, else text."""
    from IPython import display

    publish: Any = display.publish_display_data
    publish({"text/plain": str(found), "text/html": found._repr_html_()})


def run_shell(commands: str) -> tuple[int, bytes]:
    """Runs `commands` in a shell, prints what they print, and gives their exit status and their output's end."""
    shell = None if os.name == "nt" else "/bin/bash"
    if shell and not os.path.exists(shell):
        shell = "/bin/sh"
    process = subprocess.Popen(  # noqa: S602 - the cell is a script that the user wrote to be run
        commands,
        shell=True,
        executable=shell,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PYTHONUNBUFFERED": "1", **os.environ},
    )
    assert process.stdout
    kept = bytearray()
    try:
        while data := os.read(process.stdout.fileno(), 1 << 16):
            sys.stdout.write(data.decode("utf-8", "replace"))
            sys.stdout.flush()
            kept += data
            if len(kept) > 2 * KEPT_BYTES:
                del kept[:-KEPT_BYTES]
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        process.stdout.close()
        status = process.wait()
    return status, bytes(kept)


def _with_status(output: bytes, status: int) -> Explanation:
    from logsense.catalog.load import load_catalog
    from logsense.model.live import Ended
    from logsense.pipeline import explain_text

    ended = Ended(signal=-status) if status < 0 else Ended(status)
    return Explanation(explain_text(output, load_catalog(), name="cell", ended=ended, look=look_here))
