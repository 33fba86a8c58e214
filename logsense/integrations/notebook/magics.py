"""What `%load_ext logsense` adds to an IPython shell: explanations of failed cells, and two magics."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from codecs import getincrementaldecoder
from html import escape
from typing import Any

from logsense.api import Explanation, adds_to_traceback, explain, explain_exception, look_at_machine, look_at_process
from logsense.catalog.load import load_catalog
from logsense.integrations.notebook.recording import CapturedOutput, Recording
from logsense.model.live import Ended
from logsense.pipeline import explain_text
from logsense.render.clean import one_line
from logsense.util.errors import IgnoredErrors, InputError

# The output of a shell cell to explain, at most.
KEPT_BYTES = 64 << 20
# The commands that `%logsense` runs, unless a file has that name.
COMMANDS = ("doctor", "gpus", "last", "runs", "causes", "signatures")
KERNEL = "kernel"
_NOT_FAILURES = (KeyboardInterrupt, SystemExit)
# The variable with the exit status of IPython's `!command`.
STATUS = "_exit_code"


class _OldStatus(int):
    """The exit status that an earlier cell left: the same number, but distinguishable."""


class Watcher:
    """Explain failures in one IPython shell."""

    def __init__(self, shell: Any, recording: Recording | None = None) -> None:
        self._shell = shell
        self._recording = recording
        self._output = CapturedOutput(recording.write if recording else None)
        self._last: BaseException | None = None
        self._code = ""
        self._number: int | None = None
        self._explained = True

    def close(self) -> None:
        """Restore the shell."""
        self._output.end()
        if self._recording:
            self._recording.close()

    def before_cell(self, info: Any) -> None:
        """Prepare for a cell. IPython calls this before every cell."""
        self._output.begin()
        self._explained = False
        self._code = str(getattr(info, "raw_cell", "") or "")
        status = self._shell.user_ns.get(STATUS)
        if isinstance(status, int):
            self._shell.user_ns[STATUS] = _OldStatus(status)
        if self._recording:
            self._recording.cell(self._code, self._number, runs=True)

    def after_cell(self, result: Any) -> None:
        """Explain a failed cell. IPython calls this after every cell, once the traceback is shown."""
        self._output.end()
        if self._recording:
            self._recording.cell(self._code, self._number, runs=False)
        # In some versions of IPython, the shell's own counter is ahead; the result's is not.
        if result.execution_count and result.info.store_history:
            self._number = result.execution_count + 1
        error = result.error_in_exec or result.error_before_exec
        if isinstance(error, _NOT_FAILURES):
            return
        with IgnoredErrors():
            if error is not None:
                self._last = error
                found = explain_exception(error, look_at_process, output=self._output.text())
                if adds_to_traceback(found):
                    show(found)
            else:
                self._explain_shell_commands()

    def _explain_shell_commands(self) -> None:
        """Explain a `!command` of this cell that failed, if its output shows why."""
        status = self._shell.user_ns.get(STATUS)
        if self._explained or not isinstance(status, int) or isinstance(status, _OldStatus) or not status:
            return
        text = self._output.text().encode("utf-8", "replace")
        if text.strip():
            found = _with_status(text, status)
            if adds_to_traceback(found):
                show(found)

    def explain_last_kernel(self, *, again: bool = False) -> None:
        """Explain why the last kernel of this notebook died, once, or `again`."""
        with IgnoredErrors():
            death = self._recording.last(again=again) if self._recording else None
            if death:
                found = death.explanation
                show(found or None, says=death.says)
                death.mark_reported()
            elif again:
                _note("no recorded kernel of this notebook has died")

    def line(self, line: str) -> None:
        """Run `%logsense`: explain the last exception or the log that the line names, or run a command."""
        words = line.strip()
        if words == KERNEL and not os.path.exists(words):
            self.explain_last_kernel(again=True)
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
        """Run `%%logsense`: run the cell in a shell, show its output as it comes, and explain a failure.

        Set `_exit_code` to the exit status, as IPython's own `!` does.
        """
        self._explained = True
        status, output = run_shell(f"{line}\n{cell}" if line.strip() else cell)
        self._shell.user_ns[STATUS] = status
        if status:
            show(_with_status(output, status))


def show(found: Explanation | None, says: str = "") -> None:
    """Show the explanation, if any, below the sentence `says`: as HTML if the notebook can, else as text."""
    from IPython import display

    publish: Any = display.publish_display_data
    says = one_line(says)
    text, page = ("", "") if found is None else (str(found), found._repr_html_())
    head = f"<p><b>{escape(says)}</b></p>" if says else ""
    publish({"text/plain": "\n\n".join(filter(None, (says, text))), "text/html": head + page})


def run_shell(commands: str) -> tuple[int, bytes]:
    """Run `commands` in a shell and print their output. Return their exit status and the end of the output."""
    shell = None if os.name == "nt" else "/bin/bash"
    if shell and not os.path.exists(shell):
        shell = "/bin/sh"
    process = subprocess.Popen(  # noqa: S602 - the user wrote the cell to be run
        commands,
        shell=True,
        executable=shell,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PYTHONUNBUFFERED": "1", **os.environ},
    )
    assert process.stdout
    kept, decoder = bytearray(), getincrementaldecoder("utf-8")("replace")
    try:
        while data := os.read(process.stdout.fileno(), 1 << 16):
            sys.stdout.write(decoder.decode(data))
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
    return Explanation(explain_text(output, load_catalog(), name="cell", ended=_ended(status), look=look_at_machine))


def _ended(status: int) -> Ended:
    """Convert an exit status: negative values are signals, and some systems shift the status by eight bits."""
    if status < 0:
        return Ended(signal=-status)
    return Ended(status >> 8 if status > 255 else status)


def _note(sentence: str) -> None:
    print(f"logsense: {one_line(sentence)}", file=sys.stderr)  # noqa: T201
