"""Keep what a job prints, and what the machine does meanwhile, from a thread that nobody waits for."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence

from logsense.jobs.output_buffer import Reader
from logsense.jobs.passing import reason, say
from logsense.jobs.side_process import SideProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.jobs.launched import Launched
    from logsense.jobs.output_buffer import OutputBuffer
    from logsense.recorder.output import Output

_SAMPLER = "logsense.recorder.sampler"
TURN_S = 1.0
# How long the begin of the record, a folder on disk, holds up the first bytes at most.
BEGIN_S = 0.5
# How long what is still to be written, and a failed run's last sample, are waited for.
WRITE_S, SAMPLER_S = 5.0, 5.0


class Record:
    """The record of what is `kept` of the output of `command`, which began at `began` by the steady clock.

    With the `pid` of the job, the machine and the job are sampled, and silence is noticed after `stall_after`.
    """

    def __init__(
        self, command: Sequence[str], kept: OutputBuffer, began: float, pid: int = 0, stall_after: float | None = None
    ) -> None:
        self.path: str | None = None
        self.first_host_sample = ""
        self._command, self._kept, self._began, self._pid = command, kept, began, pid
        self._stall_after = stall_after
        self._reader = Reader()
        self._output: Output | None = None
        self._sampler: SideProcess | None = None
        self._stall: Stall | None = None
        self._thread: threading.Thread | None = None
        self._begun = threading.Event()
        self._done = False

    def start(self) -> None:
        """Begin the record, and wait a moment for it: what passes before it is not on disk."""
        thread = threading.Thread(target=self._guarded, args=(self._follow,), daemon=True)
        try:
            thread.start()
            self._thread = thread
            self._begun.wait(BEGIN_S)
        except RuntimeError:  # there may be no more threads; it is then written between the pieces of output
            self._guarded(self._begin)
            self._guarded(self._watch)

    def tick(self) -> None:
        """Take a turn where there is no thread that does."""
        if self._thread is None:
            self._guarded(self._turn)

    @property
    def whole(self) -> bool:
        """Whether all that passed is on disk, as far as a record keeps it."""
        output = self._output
        if not output or output.problem or not os.path.exists(os.path.join(self.path or "", "output")):
            return False
        return output.size_bytes == self._kept.size_bytes

    def close(self, job: Launched | None = None) -> None:
        """End the record, when nothing more is kept; `job` says how it ended, where that is known."""
        after_s = time.monotonic() - self._began
        self.tick()
        if self._thread:
            self._thread.join(WRITE_S)
        if self._sampler:
            self._sampler.release()
        if self.path:
            from logsense.recorder import folder

            ended = (job.status, job.signal, job.interrupted) if job else (None, None, False)
            try:
                folder.close(self.path, *ended, after_s)
            except OSError:
                pass

    def settle(self) -> None:
        """Wait until the last sample is written, or not much longer."""
        if self._sampler:
            self._sampler.wait(SAMPLER_S)

    def _follow(self) -> None:
        self._guarded(self._begin)
        self._begun.set()
        # What is needed to look at the machine takes longer to load than a second on a busy one.
        threading.Thread(target=self._guarded, args=(self._watch,), daemon=True).start()
        while not self._done and self._output:
            self._kept.wait(self._reader, TURN_S)
            self._guarded(self._turn)

    def _guarded(self, step) -> None:  # type: ignore[no-untyped-def]
        try:
            step()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the job's bytes matter more
            self._done = True
            said = reason(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            say(f"this run is not recorded{' in full' if self._output else ''}: {said}")

    def _begin(self) -> None:
        from logsense.recorder import folder
        from logsense.recorder.output import Output

        root = folder.state_folder()
        if not root:
            return
        self.path = folder.begin(self._command, root)
        self._output = Output(os.path.join(self.path, folder.OUTPUT))

    def _watch(self) -> None:
        if not self.path or not self._pid:
            return
        try:
            self._sampler = SideProcess(_SAMPLER, [self.path, str(self._pid), repr(self._began)], bound=True)
        except OSError:
            pass
        self._stall = Stall(self.path, self._pid, self._stall_after)
        from logsense.recorder.host_samples import first_host_sample
        from logsense.recorder.samples import sample_to_json

        look = first_host_sample(self._began)
        self.first_host_sample = json.dumps(sample_to_json(look)) if look else ""

    def _turn(self) -> None:
        output = self._output
        if self._done or output is None:
            return
        while True:
            skipped = self._reader.skipped_bytes, self._reader.skipped_lines
            data = self._kept.read(self._reader)
            if not data:
                break
            output.skip(self._reader.skipped_bytes - skipped[0], self._reader.skipped_lines - skipped[1])
            output.write(data)
        if self._stall:
            self._stall.turn(output.size_bytes)
        if output.problem:
            self._done = True
            say(f"this run is not recorded in full: {output.problem.lower()}")
        elif self._kept.closed and self._reader.offset_bytes == self._kept.size_bytes:
            self._done = True
            output.close()


class Stall:
    """Notice that a job has gone silent, and have a process of its own say what it does."""

    def __init__(self, path: str, pid: int, fixed_s: float | None) -> None:
        from logsense.jobs.follow import Silence

        self._path, self._pid = path, pid
        self._off = fixed_s == 0
        self._silence = Silence(time.monotonic(), fixed_s)
        self._size_bytes = 0
        self._process: SideProcess | None = None

    def turn(self, size_bytes: int) -> None:
        """Called about once a second with how much was printed, and whenever something was."""
        if self._off:
            return
        now_s = time.monotonic()
        if size_bytes != self._size_bytes:
            self._size_bytes = size_bytes
            self._silence.received(now_s)
        elif size_bytes and (silent_s := self._silence.stall_s(now_s)) is not None:
            self._report(silent_s)
        if self._process and self._process.ended():
            self._process = None

    def _report(self, silent_s: float) -> None:
        words = [self._path, str(self._pid), repr(silent_s), repr(self._silence.usual_s or 0)]
        try:
            self._process = SideProcess("logsense.cli.stall", words, bound=False)
        except OSError:
            self._off = True
