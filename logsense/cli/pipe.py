"""`CMD 2>&1 | logsense`: passes every byte through at once and explains on standard error when the stream ends."""

from __future__ import annotations

import signal
import sys

from logsense.cli.output import note
from logsense.sources.tee import tee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from logsense.cli.options import Settings
    from logsense.machine.pipe_watch import PipeWatch
    from logsense.model.live import Live
    from logsense.model.report import Report
    from logsense.pipeline import Stream


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
    if report is None:
        return 2
    from logsense.cli.explain import conclude

    return conclude(report, settings, sys.stderr)


class Reader:
    """Hands bytes to the pipeline. Whatever goes wrong in there, the job's bytes still go through.

    What is known is loaded with the first of them, by the thread that takes them: they need not wait for it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stream: Stream | None = None
        self._gave_up = False
        self._watch: PipeWatch | None = None

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of the log."""
        if not self._gave_up:
            try:
                self._watching().look()
                self._opened().feed(data)
            except Exception as error:  # noqa: BLE001 - see the class
                self._give_up(error)

    def finish(self) -> Report | None:
        """The report on all that was fed; None if it could not be made."""
        if self._gave_up:
            return None
        try:
            return self._opened().finish(self._look)
        except Exception as error:  # noqa: BLE001
            self._give_up(error)
            return None

    def _opened(self) -> Stream:
        if self._stream is None:
            from logsense.cli.compiling import compile_beside
            from logsense.cli.explain import catalog_of
            from logsense.pipeline import Stream

            compile_beside(self._settings)
            catalog = catalog_of(self._settings)
            self._stream = Stream(catalog, on_large=lambda: compile_beside(self._settings, catalog))
        return self._stream

    def _watching(self) -> PipeWatch:
        if self._watch is None:
            from logsense.machine.pipe_watch import PipeWatch

            self._watch = PipeWatch()
        return self._watch

    def _look(self) -> Live:
        return self._watching().live()

    def _give_up(self, error: Exception) -> None:
        self._stream, self._gave_up = None, True
        note(f"this log can't be explained ({type(error).__name__}: {error}); output goes on")


def _once(_number: int, _frame: FrameType | None) -> None:
    # Ctrl-C is meant for the job, whose last words are still to come; a second one is meant for all.
    signal.signal(signal.SIGINT, signal.default_int_handler)
