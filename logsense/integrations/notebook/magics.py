"""What `%load_ext logsense` adds to an IPython shell: cells that fail are explained, and two magics."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

from logsense.api import Explanation, explain, look_at_us, look_here, of_exception, worth_telling
from logsense.catalog.load import load_catalog
from logsense.integrations.notebook.printed import Printed
from logsense.model.live import Ended
from logsense.pipeline import explain_text
from logsense.render.clean import one_line
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from logsense.integrations.notebook.recording import Recording
    from logsense.model.live import Ended

# Output of a shell cell that is kept for the explanation.
KEPT_BYTES = 64 << 20
# What `%logsense` runs as a command where no file has that name.
COMMANDS = ("doctor", "gpus", "last", "runs", "causes", "signatures")
KERNEL = "kernel"
_BY_HAND = (KeyboardInterrupt, SystemExit)
# Where IPython leaves the status of `!command`.
STATUS = "_exit_code"


class _Earlier(int):
    """A status that an earlier cell left behind: the same number, but known apart."""


class Watcher:
    """Explains what goes wrong in one shell of IPython."""

    def __init__(self, shell: Any, recording: Recording | None = None) -> None:
        self._shell = shell
        self._recording = recording
        self._printed = Printed(recording.write if recording else None)
        self._last: BaseException | None = None
        self._code = ""
        self._number: int | None = None
        self._told = True

    def close(self) -> None:
        """Leaves the shell as it was."""
        self._printed.end()
        if self._recording:
            self._recording.close()

    def before_cell(self, info: Any) -> None:
        """Called by IPython before every cell."""
        self._printed.begin()
        self._told = False
        self._code = str(getattr(info, "raw_cell", "") or "")
        status = self._shell.user_ns.get(STATUS)
        if isinstance(status, int):
            self._shell.user_ns[STATUS] = _Earlier(status)
        if self._recording:
            self._recording.cell(self._code, self._number, runs=True)

    def after_cell(self, result: Any) -> None:
        """Called by IPython behind every cell, once its traceback stands."""
        self._printed.end()
        if self._recording:
            self._recording.cell(self._code, self._number, runs=False)
        # The shell's own counter runs ahead in some versions of IPython; that of a result does not.
        if result.execution_count and result.info.store_history:
            self._number = result.execution_count + 1
        error = result.error_in_exec or result.error_before_exec
        if isinstance(error, _BY_HAND):
            return
        try:
            if error is not None:
                self._last = error
                found = of_exception(error, look_at_us, before=self._printed.text())
                if worth_telling(found):
                    show(found)
            else:
                self._look_at_commands()
        except Exception:
            if os.environ.get("LOGSENSE_DEBUG"):
                raise

    def _look_at_commands(self) -> None:
        """Explains a `!command` of this cell that failed, where its output tells why."""
        status = self._shell.user_ns.get(STATUS)
        if self._told or not isinstance(status, int) or isinstance(status, _Earlier) or not status:
            return
        text = self._printed.text().encode("utf-8", "replace")
        if text.strip():
            found = _with_status(text, status)
            if worth_telling(found):
                show(found)

    def tell_of_last_kernel(self, *, again: bool = False) -> None:
        """Says of what the last kernel of this notebook died, once, or `again`."""
        try:
            death = self._recording.last(again=again) if self._recording else None
            if death:
                found = death.explanation
                show(found or None, says=death.says)
                death.mark_reported()
            elif again:
                _note("no kernel of this notebook has died that was recorded")
        except Exception:
            if os.environ.get("LOGSENSE_DEBUG"):
                raise

    def line(self, line: str) -> None:
        """`%logsense`: the last exception, the log that the line names, or a command."""
        words = line.strip()
        if words == KERNEL and not os.path.exists(words):
            self.tell_of_last_kernel(again=True)
            return
        if words.split(" ")[0] in COMMANDS and not os.path.exists(words):
            run_shell(f"{shlex.quote(sys.executable)} -m logsense {words}")
            return
        error = self._last or getattr(sys, "last_value", None)
        if not words and error is None:
            _note("no cell has failed yet; %logsense PATH explains a log")
            return
        try:
            show(explain(words or error))  # type: ignore[arg-type]
        except InputError as wrong:
            _note(str(wrong))

    def cell(self, line: str, cell: str) -> None:
        """`%%logsense`: runs the cell in a shell, shows its output as it comes, and explains a failure.

        As the exit status, `_exit_code` is set, as IPython's own `!` does.
        """
        self._told = True
        status, output = run_shell(f"{line}\n{cell}" if line.strip() else cell)
        self._shell.user_ns["_exit_code"] = status
        if status:
            show(_with_status(output, status))


def show(found: Explanation | None, says: str = "") -> None:
    """Shows the answer, if there is one, below what it `says`: HTML where the notebook can, else text."""
    from html import escape

    from IPython import display

    publish: Any = display.publish_display_data
    says = one_line(says)
    text, page = ("", "") if found is None else (str(found), found._repr_html_())
    head = f"<p><b>{escape(says)}</b></p>" if says else ""
    publish({"text/plain": "\n\n".join(filter(None, (says, text))), "text/html": head + page})


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
    return Explanation(explain_text(output, load_catalog(), name="cell", ended=_ended(status), look=look_here))


def _ended(status: int) -> Ended:
    """How a command ended, from its status: negative for a signal, and some systems shift it by eight bits."""
    if status < 0:
        return Ended(signal=-status)
    return Ended(status >> 8 if status > 255 else status)


def _note(sentence: str) -> None:
    print(f"logsense: {one_line(sentence)}", file=sys.stderr)  # noqa: T201
