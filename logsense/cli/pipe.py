"""`CMD 2>&1 | logsense`: pass every byte through at once, and explain on standard error when the stream ends.

This process only passes bytes and can't fail for anything that logsense knows or reads; another one explains.
"""

from __future__ import annotations

import os
import signal
import stat
import time
from collections.abc import Sequence

from logsense.jobs.analysis import Analysis
from logsense.jobs.blocked_signals import unblock
from logsense.jobs.output_buffer import OutputBuffer
from logsense.jobs.passing import pass_on
from logsense.jobs.signals import handle, survive

INTERRUPTED = 130


def run(words: Sequence[str]) -> int:
    """Pass standard input to standard output until it ends, then have it explained as `words` ask for."""
    survive()
    unblock()
    began = time.monotonic()
    kept = OutputBuffer()
    record = _record(kept, began)
    analysis = Analysis(["pipe", (record.path if record else None) or "", str(_together()), *words], kept)
    analysis.start()
    keys = _Keys(analysis)
    keys.listen(signal.SIGINT)
    pass_on(0, 1, kept.put)
    kept.close()
    # Nobody is behind us any more: whoever wants us to end may have that.
    keys.passing = False
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        keys.listen(getattr(signal, name, None))
    if record:
        record.close()
    status = analysis.finish()
    return INTERRUPTED if keys.ended else status


class _Keys:
    """Ctrl-C is meant for the job, whose last words are still to come; a second one ends the analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._pressed = self.ended = False
        self.passing = True

    def listen(self, number: int | None) -> None:
        if number is not None:
            handle(number, self._came)

    def _came(self, _number: int, _frame: object) -> None:
        if self._pressed or not self.passing:
            self.ended = not self.passing
            self._analysis.stop()
        self._pressed = True


def _together() -> bool:
    """Return whether standard output and standard error are the same terminal, pipe or file."""
    try:
        return os.path.samestat(os.fstat(1), os.fstat(2))
    except OSError:
        return False


def _record(kept: OutputBuffer, began: float):  # type: ignore[no-untyped-def]
    """Return the record of what passes, if it comes from a job."""
    try:
        if not stat.S_ISREG(os.fstat(0).st_mode):
            from logsense.cli.record import Record

            record = Record(["|", "logsense"], kept, began)
            record.start()
            return record
    except BaseException:  # noqa: BLE001, S110 - the log is explained without
        pass
    return None
