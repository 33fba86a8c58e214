"""Explain why a recorded kernel died."""

from __future__ import annotations

import os
import re
import signal
import time

from logsense.api import Explanation
from logsense.catalog.load import load_catalog
from logsense.model.run import RecordedRun
from logsense.model.values import show_seconds
from logsense.pipeline import explain_text
from logsense.recorder import kernels
from logsense.recorder.history import facts_of, live_of
from logsense.util.files import object_in, tail_of

FAULT_BYTES, PRINTED_BYTES = 64 << 10, 1 << 20
MOST_CODE = 80
# SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV: the signals of Python's faulthandler.
CRASHES = (4, 6, 7, 8, 10, 11)
_FATAL = b"Fatal Python error"
# Kernels compile a cell under such a file name.
_CELL_LINE = re.compile(r'File "[^"\n]*[/\\]ipykernel_[^"\n]*", line (\d+)')


class KernelDeath:
    """The end of the kernel that `run` recorded."""

    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        self._cell = object_in(os.path.join(run.path, kernels.CELL))

    @property
    def matters(self) -> bool:
        """Whether the end was unexpected; an idle kernel usually ends with its server."""
        ended = self._run.ended
        if ended is not None and (ended.by_user or ended.status == 0):
            return False
        crashed = ended is not None and ended.signal in CRASHES
        return bool(self._cell.get("runs")) or crashed or "host.oom_kills_seen" in facts_of(self._run.samples)

    @property
    def says(self) -> str:
        """When, how, and in which cell the kernel died, in a sentence."""
        run, cell = self._run, self._cell
        last = run.samples[-1].at_s if run.samples else run.at_s + (run.after_s or 0.0)
        parts = [f"The last kernel died {show_seconds(max(round(time.time() - last), 1))} ago"]
        if run.ended and run.ended.signal:
            parts.append(f"by {_signal(run.ended.signal)}")
        elif run.ended and run.ended.status:
            parts.append(f"with exit status {run.ended.status}")
        elif run.rebooted:
            parts.append("when the machine rebooted")
        if cell:
            number = f" [{cell['number']}]" if isinstance(cell.get("number"), int) else ""
            parts.append(
                f"while cell{number} ran{self._code()}" if cell.get("runs") else f"when cell{number} had ended"
            )
        return ", ".join(parts)

    @property
    def explanation(self) -> Explanation:
        """Why the kernel died, from the output of its last cell, faulthandler's dump and the recorded samples."""
        run = self._run
        text = self._printed() + b"\n" + self._fault()
        report = explain_text(text, load_catalog(), name="kernel", ended=run.ended, look=lambda: live_of(run))
        return Explanation(report)

    def mark_reported(self) -> None:
        """Note that the user has seen the explanation."""
        kernels.mark_reported(self._run.path)

    def _code(self) -> str:
        """Return the line of the cell that faulthandler names, or else the first line."""
        code = str(self._cell.get("code", ""))
        found = _CELL_LINE.search(self._fault().rpartition(b"Current thread 0x")[2].decode("utf-8", "replace"))
        lines = code.split("\n")
        if found and 0 < int(found[1]) <= len(lines):
            return f", in line {found[1]}: {lines[int(found[1]) - 1].strip()[:MOST_CODE]}"
        first, _, more = code.strip().partition("\n")
        return f": {first[:MOST_CODE]}{' …' if more or len(first) > MOST_CODE else ''}"

    def _printed(self) -> bytes:
        begin = self._cell.get("from_bytes")
        begin = begin if isinstance(begin, int) else 0
        data = b""
        for path, offset_bytes, _ in reversed(self._run.output):
            data = tail_of(path, min(PRINTED_BYTES - len(data), PRINTED_BYTES), begin - offset_bytes) + data
            if offset_bytes <= begin or len(data) >= PRINTED_BYTES:
                break
        return data

    def _fault(self) -> bytes:
        """Return faulthandler's last dump. Forked processes write to the same file."""
        if self._run.ended and self._run.ended.signal not in CRASHES:
            return b""
        _, word, last = tail_of(os.path.join(self._run.path, kernels.FAULT), FAULT_BYTES).rpartition(_FATAL)
        return word + last


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
