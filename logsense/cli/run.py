"""`logsense run -- CMD`: run a command, record it and the machine, and explain it if it fails.

This process only passes bytes and signals and can't fail for anything that logsense knows or reads; others record the
machine and explain.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence

from logsense.jobs.blocked_signals import unblock
from logsense.jobs.launched import Launched
from logsense.jobs.passing import reason, say
from logsense.jobs.signals import handle, ignored, restore_defaults

_launched: type[Launched]  # with a pseudoterminal if the system has them, else with pipes
if sys.platform != "win32" and hasattr(os, "fork"):
    from logsense.jobs.job import Job

    _launched = Job
else:
    from logsense.jobs.pipes import PipedJob

    _launched = PipedJob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.cli.record import Record
    from logsense.jobs.output_buffer import OutputBuffer

STATUS_WRONG_USE = 2


def run(words: Sequence[str]) -> int:
    """Run the command that `words` end in; return its exit status, or 128 and the number of its signal.

    With --exit-code=verdict, a run that failed ends with what says whether to run it again.
    """
    given, options, command = split(words)
    if not command:
        say("say what to run: logsense run -- python train.py")
        return STATUS_WRONG_USE
    unwanted = ignored()
    began = time.monotonic()
    job = _launched(command)
    try:
        started = job.start()
    except OSError as error:
        say(f"this job runs without logsense: {reason(error)}")
        restore_defaults(unwanted)
        unblock()
        os.execvp(command[0], command)  # noqa: S606
    if not started:
        say(f"can't run {command[0]}: {job.problem.lower()}")
        return job.status or 1
    # The job is on its way already; what we need to start happens while it does.
    watched = _watch(job, began, given)
    if watched is None:
        job.run(_drop)
        job.leave()
        return job.ends_with
    kept, record = watched
    job.run(kept.put, record.tick if record else None)
    job.leave()
    kept.close()
    return _end(job, kept, record, began, given, options)


def split(words: Sequence[str]) -> tuple[dict[str, object], list[str], list[str]]:
    """Return the options in `words` by name and as they are written, and the command behind them."""
    try:
        from logsense.cli.command_line import parse_run

        given, command, problems = parse_run(words)
    except BaseException:  # noqa: BLE001 - whatever is wrong with us, the job runs
        first = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
        given, command, problems = {}, list(words[words.index("--") + 1 :] if "--" in words else words[first:]), []
    if problems and command:
        say(f"ignored: {'; '.join(problems)}")
    return given, list(words[: len(words) - len(command)]), command


def _drop(_data: bytes) -> None:
    """Take bytes that nobody keeps."""


def _watch(job: Launched, began: float, given: dict[str, object]) -> tuple[OutputBuffer, Record | None] | None:
    try:
        from logsense.jobs.output_buffer import OutputBuffer

        kept = OutputBuffer()
    except BaseException as error:  # noqa: BLE001
        say(f"this run is neither recorded nor explained ({type(error).__name__}: {error})")
        return None
    _in_background(_check_notify, given)
    return kept, None if given.get("unrecorded") else _record(job, kept, began, given)


def _in_background(step: Callable[[dict[str, object]], None], given: dict[str, object]) -> None:
    """Take a step from a thread that nobody waits for; without threads, not at all."""
    try:
        import threading

        threading.Thread(target=step, args=(given,), daemon=True).start()
    except BaseException:  # noqa: BLE001, S110 - the job goes on
        pass


def _check_notify(given: dict[str, object]) -> None:
    """Say while the job begins, not when it has failed after days, that nobody can be notified."""
    try:
        from logsense.cli.settings import stored_settings

        to = given.get("notify") or stored_settings(on_problem=lambda _: None).get("notify")
        if to:
            from logsense.cli.conclude import check_addresses

            check_addresses(str(to))
    except BaseException:  # noqa: BLE001, S110 - what is wrong with it is said in the end
        pass


def _record(job: Launched, kept: OutputBuffer, began: float, given: dict[str, object]) -> Record | None:
    try:
        from logsense.cli.record import Record

        record = Record(job.command, kept, began, job.pid, _seconds(given.get("stall_after")))
        record.start()
    except BaseException as error:  # noqa: BLE001
        say(f"this run is not recorded ({type(error).__name__}: {error})")
        return None
    return record


def _seconds(text: object) -> float | None:
    if text is None:
        return None
    from logsense.model.values import to_seconds

    limit_s = to_seconds(str(text))
    if limit_s is None:
        say("ignored: --stall-after takes a time such as 90s, 10min or 1h")
    return limit_s


def _end(
    job: Launched,
    kept: OutputBuffer,
    record: Record | None,
    began: float,
    given: dict[str, object],
    options: Sequence[str],
) -> int:
    status = job.ends_with
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None:
            handle(number, _give_up)
    try:
        if record:
            record.close(job)
        if given.get("always") or (status and not job.interrupted):
            wanted = _explain(job, kept, record, began, options)
            return wanted if given.get("run_exit_code") == "verdict" and status and wanted else status
    except KeyboardInterrupt:
        return status
    except BaseException as error:  # noqa: BLE001
        say(f"this run can't be explained ({type(error).__name__}: {error})")
    return status


def _give_up(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _explain(job: Launched, kept: OutputBuffer, record: Record | None, began: float, options: Sequence[str]) -> int:
    """Have the run explained on standard error; return the exit status that its verdict asks for."""
    from logsense.jobs.analysis import Analysis
    from logsense.jobs.output_buffer import OutputBuffer

    path = ""
    if record:
        record.settle()
        path = record.path or ""
    if record and record.whole:
        kept = OutputBuffer()
        kept.close()
    ended = [repr(one) for one in (job.status, job.signal, job.interrupted)]
    analysis = Analysis(["run", repr(began), path, record.first_host_sample if record else "", *ended, *options], kept)
    analysis.start()
    try:
        return analysis.finish()
    except KeyboardInterrupt:
        analysis.stop()
        raise
