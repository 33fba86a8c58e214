"""`CMD 2>&1 | logsense`: passes every byte through at once and explains on standard error when the stream ends."""

from __future__ import annotations

import signal
import sys
import time

from logsense.cli.explain import catalog_of, conclude, look_here
from logsense.cli.output import note
from logsense.pipeline import Stream
from logsense.sources.tee import tee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from logsense.cli.options import Settings
    from logsense.model.live import Live
    from logsense.model.report import Report


def run(settings: Settings) -> int:
    """Passes standard input to standard output until it ends, then explains it; gives the exit status."""
    signal.signal(signal.SIGINT, _once)
    if hasattr(signal, "SIGHUP"):  # the job may well outlive its terminal; its output ends when it does
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if settings.notify:
        from logsense.cli.notify import check_early

        check_early(settings.notify)
    reader = Reader(settings)
    tee(sys.stdin.fileno(), sys.stdout.fileno(), reader.feed)
    report = reader.finish()
    return conclude(report, settings, sys.stderr) if report else 2


class Reader:
    """Hands bytes to the pipeline. Whatever goes wrong in there, the job's bytes still go through."""

    def __init__(self, settings: Settings) -> None:
        self._stream: Stream | None = None
        self._began = time.monotonic()
        try:
            self._stream = Stream(catalog_of(settings))
        except Exception as error:  # noqa: BLE001 - see the class
            self._give_up(error)

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of the log."""
        if self._stream:
            try:
                self._stream.feed(data)
            except Exception as error:  # noqa: BLE001
                self._give_up(error)

    def finish(self) -> Report | None:
        """The report on all that was fed; None if it could not be made."""
        try:
            return self._stream.finish(self._look) if self._stream else None
        except Exception as error:  # noqa: BLE001
            self._give_up(error)
            return None

    def _look(self) -> Live:
        # What the kernel said before the job began is about another one.
        return look_here(time.monotonic() - self._began)

    def _give_up(self, error: Exception) -> None:
        self._stream = None
        note(f"this log can't be explained ({type(error).__name__}: {error}); output goes on")


def _once(_number: int, _frame: FrameType | None) -> None:
    # Ctrl-C is meant for the job, whose last words are still to come; a second one is meant for all.
    signal.signal(signal.SIGINT, signal.default_int_handler)
