"""`logsense run -- CMD`: runs a command, records it and the machine, and explains it where it fails."""

from __future__ import annotations

import os
import sys
import time

from logsense.cli.child import Beside
from logsense.machine.recorder import folder
from logsense.machine.recorder.looks import first_look, with_looks
from logsense.machine.recorder.output import Output
from logsense.sources.launched import launched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Option, Settings
    from logsense.model.run import RecordedRun
    from logsense.model.sample import Sample
    from logsense.sources.launched import Launched

SIGNALLED = 128
_SAMPLER = "logsense.machine.recorder.sampler"
# How long a failed run's last sample is waited for.
SAMPLER_S = 1.5
KEPT_BYTES = 16 << 20


def run(arguments: Sequence[str]) -> int:
    """Runs the command that `arguments` end in; gives its exit status, or 128 and the number of its signal.

    With --exit-code=verdict, a run that failed ends with what says whether to run it again.
    """
    given, command = parse(arguments)
    by_verdict = given.pop("run_exit_code", None) == "verdict"
    _check_time(given.get("stall_after"))
    always, unrecorded = bool(given.pop("always", False)), bool(given.pop("unrecorded", False))
    began = time.monotonic()
    job = launched(command)
    if not job.start():
        _note(f"can't run {command[0]}: {job.problem.lower()}")
        return job.status or 1
    # The job is on its way already; what we need to start happens while it does.
    record = Record(command, began, kept=not unrecorded)
    record.watch(job.pid)
    _check_notify(given)
    stall = Stall(record, job.pid, given.pop("stall_after", None))
    try:
        job.run(record.output.write, stall.tick)
    finally:
        record.close(job)
    status = SIGNALLED + job.signal if job.signal else job.status or 0
    if record.output.problem:
        _note(f"the output could not be recorded in full: {record.output.problem.lower()}")
    if always or (status and not job.interrupted):
        try:
            told = _explain(record, job, {**given, "exit_code": "verdict"})
            status = told if by_verdict and status and told else status
        except Exception as error:
            if os.environ.get("LOGSENSE_DEBUG"):
                raise
            _note(f"the run can't be explained ({type(error).__name__}: {error})")
    return status


def parse(arguments: Sequence[str]) -> tuple[dict[str, object], list[str]]:
    """Our options, and the command: what stands behind `--` or begins with the first word that is no option.

    Raises InputError where an option is unknown or no command is given.
    """
    from logsense.sources.errors import InputError

    given: dict[str, object] = {}
    rest = list(arguments)
    by_flag = _by_flag() if rest and rest[0].startswith("-") and rest[0] != "--" else {}
    while rest and rest[0].startswith("-") and rest[0] != "--":
        flag, equals, value = rest.pop(0).partition("=")
        option = by_flag.get(flag)
        if option is None:
            from logsense.cli.guess import did_you_mean

            raise InputError(f"run has no option {flag}{did_you_mean(flag, by_flag)} (see logsense run --help)")
        if not option.switch and not equals:
            if not rest:
                raise InputError(f"{flag} needs a value")
            value = rest.pop(0)
        if option.choices and value not in option.choices and not (option.switch and not equals):
            raise InputError(f"{flag} takes one of {', '.join(option.choices)}")
        given[option.name] = value if (option.choices and equals) or not option.switch else True
    command = rest[1:] if rest[:1] == ["--"] else rest
    if not command:
        raise InputError("say what to run: logsense run -- python train.py")
    return given, command


def _by_flag() -> dict[str, Option]:
    from logsense.cli.options import RUN_OPTIONS

    return {flag: option for option in RUN_OPTIONS for flag in option.flags}


class Record:
    """What is kept of the run: a folder with everything, or, where none can be made, the output's end in memory."""

    def __init__(self, command: Sequence[str], began: float, *, kept: bool) -> None:
        self.path: str | None = None
        self._began = began
        self._sampler: Beside | None = None
        self._first: Sample | None = None
        root = folder.state_folder() if kept else None
        if root:
            try:
                self.path = folder.begin(command, root)
            except OSError as error:
                _note(f"this run is not recorded: {(error.strerror or str(error)).lower()}: {root}")
        self.output: Output | Memory = Output(os.path.join(self.path, folder.OUTPUT)) if self.path else Memory()

    def watch(self, pid: int) -> None:
        """Starts the process that takes samples of the machine and of the job `pid`."""
        if not self.path:
            return
        try:
            self._sampler = Beside(_SAMPLER, [self.path, str(pid), repr(self._began)], bound=True)
        except OSError:
            pass
        self._first = first_look(self._began)

    def close(self, job: Launched) -> None:
        """Ends the recording."""
        self.output.close()
        if self._sampler:
            self._sampler.release()
        if self.path:
            try:
                folder.close(self.path, job.status, job.signal, job.interrupted, time.monotonic() - self._began)
            except OSError:
                pass

    def settle(self) -> None:
        """Waits until the last sample is written, or not much longer."""
        until = time.monotonic() + SAMPLER_S
        while self._sampler and not self._sampler.ended() and time.monotonic() < until:
            time.sleep(0.01)

    def completed(self, found: RecordedRun) -> RecordedRun:
        """`found` with what this process saw itself, where the sampler came late."""
        return with_looks(found, self._first, self._began)


class Stall:
    """Notices that a job has gone silent, and has a process of its own say what it does."""

    def __init__(self, record: Record, pid: int, limit: object) -> None:
        from logsense.sources.rhythm import Rhythm

        self._record, self._pid = record, pid
        fixed_s = _time_s(str(limit)) if limit is not None else None
        self._off = fixed_s == 0 or not record.path
        self._rhythm = Rhythm(time.monotonic(), fixed_s)
        self._size_bytes = 0
        self._told = False
        self._process: Beside | None = None

    def tick(self) -> None:
        """Called about once a second, and whenever something was printed."""
        if self._off:
            return
        now_s = time.monotonic()
        size_bytes = self._record.output.size_bytes
        if size_bytes != self._size_bytes:
            self._size_bytes = size_bytes
            self._rhythm.heard(now_s)
            self._told = False
        elif not self._told and size_bytes and self._rhythm.silent_s(now_s) >= self._rhythm.limit_s:
            self._told = True
            self._tell(self._rhythm.silent_s(now_s))
        if self._process and self._process.ended():
            self._process = None

    def _tell(self, silent_s: float) -> None:
        words = [self._record.path or "", str(self._pid), repr(silent_s), repr(self._rhythm.usual_s or 0)]
        try:
            self._process = Beside("logsense.cli.stall", words, bound=False)
        except OSError:
            self._off = True


class Memory:
    """The end of the output, in memory."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.problem = ""
        self.size_bytes = 0

    def write(self, data: bytes) -> None:
        """Takes the next bytes in."""
        self.data += data
        self.size_bytes += len(data)
        if len(self.data) > 2 * KEPT_BYTES:
            del self.data[:-KEPT_BYTES]

    def close(self) -> None:
        """Nothing has to be closed."""


def _explain(record: Record, job: Launched, given: dict[str, object]) -> int:
    """Explains the run on standard error; gives the exit status that its verdict asks for."""
    from logsense.cli.config import kept
    from logsense.cli.options import settings as settings_of

    settings: Settings = settings_of(given, kept())
    record.settle()
    if record.path:
        from logsense.cli.runs import explain_run
        from logsense.machine.recorder.runs import load_run

        root, name = os.path.split(record.path)
        found = load_run(root, name)
        if found:
            return explain_run(record.completed(found), settings, sys.stderr)
    from logsense.cli.explain import catalog_of, conclude
    from logsense.model.live import Ended
    from logsense.pipeline import explain_text

    data = bytes(record.output.data) if isinstance(record.output, Memory) else b""
    ended = Ended(job.status, job.signal, job.interrupted)
    return conclude(explain_text(data, catalog_of(settings), name="output", ended=ended), settings, sys.stderr)


def _time_s(text: str) -> float | None:
    from logsense.model.values import to_seconds

    return to_seconds(text)


def _check_time(text: object) -> None:
    from logsense.sources.errors import InputError

    if text is not None and _time_s(str(text)) is None:
        raise InputError("--stall-after takes a time such as 90s, 10min or 1h")


def _check_notify(given: dict[str, object]) -> None:
    from logsense.cli.config import kept

    try:
        to = given.get("notify") or kept().get("notify")
    except Exception:  # noqa: BLE001 - the job runs already; what is wrong with the settings is said behind it
        return
    if to:
        from logsense.cli.notify import check_early

        check_early(str(to))


def _note(sentence: str) -> None:
    from logsense.cli.output import note

    note(sentence)
