"""Explain the log of a pipe or of `run`, in a process that may die: its input has already been passed on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence

from logsense.cli.command_line import parse
from logsense.cli.conclude import check_addresses, conclude, status_of
from logsense.cli.leftovers import Leftovers, leftovers_of
from logsense.cli.options import RUN_OPTIONS, Settings
from logsense.cli.output import error_message, note
from logsense.cli.settings import usable_settings
from logsense.jobs.analysis import ANSWERED
from logsense.jobs.passing import say
from logsense.jobs.side_process import FAILED
from logsense.model.live import Ended
from logsense.model.report import Report
from logsense.model.values import show_bytes
from logsense.recorder.folder import state_folder
from logsense.recorder.output import gap_marker
from logsense.recorder.runs import command_for, kept_bytes, load_run, prune

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.machine.now import PipeWatch
    from logsense.pipeline import Stream

# How long the last bytes may take to reach the record.
WRITTEN_S = 0.5


def main(words: Sequence[str]) -> None:
    """Explain the log on standard input, for the command that `words` begin with, and end the process.

    `pipe`, the folder of the record, whether the report follows the log in the same file, options; or `run`, when it
    began, the folder of the record, a first look at the machine, the status and the signal that it ended with, whether
    Ctrl-C was pressed, options.
    """
    try:
        status = ANSWERED + (_pipe if words[0] == "pipe" else _run)(words[1:])
    except KeyboardInterrupt:
        status = FAILED
    except BaseException as error:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        said = error_message(error) if isinstance(error, Exception) else type(error).__name__
        say(f"this log can't be explained: {said}")
        status = FAILED
    os._exit(status) if "coverage" not in sys.modules else sys.exit(status)


def _pipe(words: Sequence[str]) -> int:
    path, together = words[0], words[1] == "True"
    given, _, problems = parse(words[2:])
    settings = usable_settings(given, problems)
    if settings.notify:
        check_addresses(settings.notify)
    stream, watch, passed = None, _watch(), Passed()
    left = passed.leftovers if together else None
    for data in passed:
        stream = stream or stream_for(settings, left.line_end() if left else "")
        stream.feed(data)
    report = (stream or stream_for(settings)).finish(watch.live if watch else None)
    status = _conclude(report, settings, _details_command(path, passed.size_bytes), left)
    root = state_folder()
    if root:
        prune(root)
    return status


def _watch() -> PipeWatch | None:
    """Return the watch on the job, which is whatever writes to the process that passes its bytes on."""
    try:
        from logsense.machine.now import PipeWatch

        return PipeWatch(os.getppid())
    except Exception:  # noqa: BLE001 - the log is explained without
        return None


def _run(words: Sequence[str]) -> int:
    began, path, look = float(words[0]), words[1], words[2]
    status, signal = (None if word == "None" else int(word) for word in words[3:5])
    given, _, _ = parse(words[6:], RUN_OPTIONS)
    for name in ("run_exit_code", "always", "unrecorded", "stall_after"):
        given.pop(name, None)
    settings = usable_settings({**given, "exit_code": "verdict"})
    return _conclude(*_report_on_run(settings, began, path, look, Ended(status, signal, words[5] == "True")))


def _report_on_run(
    settings: Settings, began: float, path: str, look: str, ended: Ended
) -> tuple[Report, Settings, str, Leftovers]:
    """Return what `_conclude` takes. The command is "" if the record is incomplete."""
    from logsense.cli.explain import catalog_of, explain_recorded
    from logsense.recorder.history import live_of
    from logsense.recorder.host_samples import with_host_samples
    from logsense.recorder.samples import sample_from_json

    found = load_run(*os.path.split(path)) if path else None
    catalog = catalog_of(settings, leftovers_of(found.output).line_end() if found else "")
    if found:
        found = with_host_samples(found._replace(ended=ended), sample_from_json(look.encode()), began)
    stream, passed = None, Passed()
    for data in passed:
        stream = stream or stream_for(settings)
        stream.feed(data)
    if stream or found is None:
        run = found
        report = (stream or stream_for(settings)).finish((lambda: live_of(run)) if run else None, ended)
        return report, settings, "", passed.leftovers
    return explain_recorded(found, catalog)[1], settings, command_for(path), leftovers_of(found.output)


def _details_command(path: str, size_bytes: int) -> str:
    """Return the command that shows all of the report, as soon as the record is complete; "" if it takes too long."""
    if not path:
        return ""
    until_s = time.monotonic() + WRITTEN_S
    while kept_bytes(path) < size_bytes:
        if time.monotonic() >= until_s:
            return ""
        time.sleep(0.01)
    return command_for(path)


def _conclude(report: Report, settings: Settings, again: str, left: Leftovers | None) -> int:
    """Write the report to standard error, or to the file that the settings name; return the exit status.

    Text on standard error is a paragraph of its own below what is `left` of the output.
    """
    shown = not settings.output and (report.outcome == "failed" or not settings.quiet)
    if left and shown and settings.format == "text":
        sys.stderr.write(left.undone())
        sys.stderr.flush()
    try:
        return conclude(report, settings, sys.stderr, details_command=again)
    except OSError as error:
        if error.filename != settings.output:
            raise
        say(f"can't write {settings.output}: {(error.strerror or '').lower()}")
        return status_of(report, settings)


class Passed:
    """The bytes that were passed on, in pieces, with a line for what was skipped to keep up with the job.

    `size_bytes` counts both; `leftovers` is what they leave behind in a terminal.
    """

    def __init__(self) -> None:
        self.size_bytes = 0
        self.leftovers = Leftovers()

    def __iter__(self) -> Iterator[bytes]:
        total = 0
        stream = sys.stdin.buffer
        while head := stream.readline(100):
            size, skipped_bytes, skipped_lines = map(int, head.split())
            self.size_bytes += size + skipped_bytes
            if skipped_bytes:
                total += skipped_bytes
                yield gap_marker(skipped_bytes, skipped_lines)
            data = stream.read(size)
            self.leftovers.feed(data)
            yield data
        if total:
            note(f"{show_bytes(total)} in the middle were skipped: they came faster than logsense reads")


def stream_for(settings: Settings, line_end: str = "") -> Stream:
    """Load the catalog and return a stream. Call this when the first bytes come: a silent job then costs little.

    `line_end` ends the line on the terminal that a note would continue.
    """
    from logsense.cli.compiling import compile_in_background
    from logsense.cli.explain import catalog_of
    from logsense.pipeline import Stream

    compile_in_background(settings, line_end=line_end)
    catalog = catalog_of(settings)
    return Stream(catalog, on_large=lambda: compile_in_background(settings, catalog))
