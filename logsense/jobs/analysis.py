"""Explain the output of a job in a separate process, so that no failure of it affects the job."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from logsense.jobs.output_buffer import OutputBuffer, Reader
from logsense.jobs.passing import reason, say
from logsense.jobs.side_process import FAILED, SideProcess

MODULE = "logsense.cli.explain_stream"
# The exit status is this plus the status that the answer requests, or FAILED if the process has said what went wrong.
ANSWERED = 100
PATIENCE_S = 300.0
TURN_S = 1.0


class Analysis:
    """The process that explains the output in `kept`, started with `words`."""

    def __init__(self, words: Sequence[str], kept: OutputBuffer) -> None:
        self._words, self._kept = words, kept
        self._process: SideProcess | None = None
        self._feeder: threading.Thread | None = None
        self._stopped = False

    def start(self) -> None:
        """Start the process. If that fails, say so."""
        self._process = self._feeder = None
        try:
            self._process = SideProcess(MODULE, self._words, bound=True, silent=False, near=True)
        except OSError as error:
            say(f"this log can't be explained: {reason(error)}")
            return
        try:
            self._feeder = threading.Thread(target=self._feed, args=(self._process,), daemon=True)
            self._feeder.start()
        except RuntimeError:
            self._feeder = None  # no thread is left; `_answer` feeds it

    def stop(self) -> None:
        """End the process: nobody waits for an answer any more."""
        self._stopped = True
        if self._process:
            self._process.kill()

    def finish(self) -> int:
        """Wait for the answer after the end of the output; return the exit status that it requests, or 0."""
        status = self._answer()
        if status is None and not self._stopped:
            self.start()
            status = self._answer(again=True)
        return status or 0

    def _answer(self, *, again: bool = False) -> int | None:
        process = self._process
        if process is None:
            return 0
        if self._feeder is None:
            self._feed(process)
        if not process.wait(PATIENCE_S):
            process.kill()
            say("the explanation takes too long and is given up")
            return 0
        status = process.status or 0
        if status >= ANSWERED:
            return status - ANSWERED
        if status == FAILED or self._stopped:
            return 0
        how = f"ended by signal {-status}" if status < 0 else f"ended with status {status}"
        say(f"the explanation {how}" + ("; this log can't be explained" if again else "; it begins again"))
        return None

    def _feed(self, process: SideProcess) -> None:
        reader = Reader()
        try:
            while True:
                if not self._kept.wait(reader, TURN_S):
                    continue
                before_bytes, before_lines = reader.skipped_bytes, reader.skipped_lines
                data = self._kept.read(reader)
                if not data:
                    break
                gap_bytes, gap_lines = reader.skipped_bytes - before_bytes, reader.skipped_lines - before_lines
                view = memoryview(b"%d %d %d\n" % (len(data), gap_bytes, gap_lines) + data)
                while view:
                    view = view[os.write(process.fd, view) :]
        except (OSError, MemoryError):
            pass  # it has ended; `_answer` reports why
        finally:
            process.release()
