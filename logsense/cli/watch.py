"""`logsense watch FILE…`: follow logs that another program writes, and explain a failure or a stall when it comes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from logsense.cli.compiling import compile_in_background
from logsense.cli.conclude import check_addresses, conclude, selected_job
from logsense.cli.explain import catalog_of, look_here
from logsense.cli.options import Settings
from logsense.cli.output import MOST_NAMED, error_message, look_of, note, shell_words, write
from logsense.cli.settings import usable_settings
from logsense.cli.suggestions import suggest_file
from logsense.jobs.follow import Follower, Silence
from logsense.model.knowledge import Catalog
from logsense.model.live import Live
from logsense.model.report import Report
from logsense.model.values import show_seconds, to_seconds
from logsense.pipeline import explain_text
from logsense.sources.find import resolve
from logsense.survey.several_jobs import JobLogs, explain_apart

EVERY_S = 0.5
# A failure is certain when so long nothing follows it; launchers and other ranks often have more to say.
QUIET_S = 3.0
TAIL_BYTES = 1 << 20
BEHIND_S = 2.0


def run(given: dict[str, object], problems: Sequence[str] = ()) -> int:
    """Follow the files until one shows a failure or a good end and return the exit status.

    `problems` are what was wrong with other options.
    """
    problems = list(problems)
    stall, keep = given.pop("stall_after", None), bool(given.pop("keep_on", False))
    files = [str(one) for one in given.pop("files", ())]  # type: ignore[attr-defined]
    fixed_s = to_seconds(str(stall)) if stall is not None else None
    if stall is not None and not fixed_s:
        problems.append("--stall-after takes a time such as 90s, 10min or 1h")
    settings = usable_settings(given, problems)._replace(pager="never")
    if settings.notify:
        check_addresses(settings.notify)
    watcher = Watcher(files, settings, fixed_s or None)
    for name in files:
        if not os.path.exists(name):
            note(f"waiting for {name}, which does not exist yet{suggest_file(name)}", settings)
        elif os.path.isdir(name):
            note(f"{name} is a folder: only files are followed", settings)
    while True:
        status = _guarded(watcher, settings)
        if status is not None and not keep:
            return status
        time.sleep(EVERY_S)


def _guarded(watcher: Watcher, settings: Settings) -> int | None:
    """Take a turn; if it fails, because a log is replaced just then, say so and go on."""
    try:
        return watcher.turn(time.monotonic())
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        note(f"{error_message(error)}; still watching", settings)
        return None


class Log:
    """A log that is followed: its last bytes, and when the latest of them came.

    `ending` is what became of its run by these bytes, where nothing has followed them for a while.
    """

    def __init__(self, path: str, now_s: float) -> None:
        self.path = path
        self.tail = bytearray()
        self.written_s = now_s
        self.ending: str | None = None
        self._follower = Follower(path)

    def read(self) -> bool:
        """Take in what is new; return whether anything is."""
        new = False
        before = self._follower.restarts
        while data := self._follower.read():
            if self._follower.restarts != before:
                self.tail.clear()
                before = self._follower.restarts
            self.tail += data
            del self.tail[:-TAIL_BYTES]
            self.written_s = time.monotonic()
            new = True
        if new:
            self.ending = None
        return new


class Watcher:
    """Follows several logs, usually of one job."""

    def __init__(self, paths: list[str], settings: Settings, fixed_s: float | None) -> None:
        self._settings = settings
        compile_in_background(settings)
        self._catalog: Catalog = catalog_of(settings)
        now_s = time.monotonic()
        self._logs = [Log(path, now_s) for path in paths]
        self._silence = Silence(now_s, fixed_s)
        self._reported: set[tuple[str | None, int | None]] = set()

    def turn(self, now_s: float) -> int | None:
        """Read what is new and say what there is to say; return the exit status if the job is over."""
        if [log for log in self._logs if log.read()]:
            self._silence.received(now_s)
        quiet = [log for log in self._logs if log.tail and now_s - log.written_s >= QUIET_S]
        fresh = [log for log in quiet if log.ending is None]
        for log in fresh:
            log.ending = explain_text(bytes(log.tail), self._catalog, name="tail").outcome
        if fresh and (status := self._look(fresh, quiet)) is not None:
            return status
        if any(log.tail for log in self._logs) and (silent_s := self._silence.stall_s(now_s)) is not None:
            self._report_stall(silent_s)
        return None

    def _look(self, fresh: list[Log], quiet: list[Log]) -> int | None:
        """Read everything again where the ends of logs that fell silent show an end of their job."""
        busy = {log.path for log in self._logs if log.tail and log not in quiet}
        endings = {log.ending for log in (fresh if busy else quiet)}
        if "failed" not in endings and (busy or endings != {"completed"}):
            return None
        jobs = [job for job in self._jobs() if not any(source.name in busy for source in job.sources)]
        if "failed" not in endings:
            return self._conclude(jobs)
        new = [job for job in jobs if job.report.outcome == "failed" and _place(job.report) not in self._reported]
        if not new:
            return None
        self._reported.update(_place(job.report) for job in new)
        return self._conclude(new)

    def _jobs(self, live: Live | None = None) -> list[JobLogs]:
        sources = resolve([log.path for log in self._logs if log.tail], stdin=sys.stdin)
        look = look_here if self._settings.live and live is None else lambda: live
        return explain_apart(sources, self._catalog, look=look)

    def _conclude(self, jobs: Sequence[JobLogs]) -> int:
        job = selected_job(jobs, self._settings)
        logs = shell_words([log.path for log in self._logs]) if len(self._logs) <= MOST_NAMED else "FILE…"
        return conclude(job.report, self._settings, sys.stdout, job.sources, f"logsense -v {logs}")

    def _silent_first(self) -> str:
        """Return which log fell silent clearly before all others, in words, or "" if none did."""
        order = sorted(self._logs, key=lambda log: log.written_s)
        if len(order) < 2:
            return ""
        ahead_s = order[1].written_s - order[0].written_s
        if ahead_s < BEHIND_S:
            return ""
        return f"{order[0].path} fell silent first, {show_seconds(ahead_s)} before the next one"

    def _report_stall(self, silent_s: float) -> None:
        from logsense.cli.stall import look_at_stall, stall_text
        from logsense.machine.host.processes import tree
        from logsense.machine.open_files import writers_of

        writers = writers_of([log.path for log in self._logs])
        pids = {pid for writer in writers for pid in tree(writer)}
        live, processes = look_at_stall(sorted(pids), silent_s)
        shape = look_of(sys.stdout, self._settings)
        write(stall_text(silent_s, self._silence.usual_s, live, processes, shape), sys.stdout, self._settings)
        first = self._silent_first()
        if first:
            note(first, self._settings)
        if not processes:
            note("no process here has the log open: what writes it runs elsewhere, or has ended", self._settings)
        jobs = self._jobs(live)
        if any(job.report.diagnoses for job in jobs):
            self._conclude(jobs)


def _place(report: Report) -> tuple[str | None, int | None]:
    """Return where the failure of `report` is, by which it is known again."""
    place = report.diagnoses[0].evidence[:1] if report.diagnoses else report.unexplained[:1]
    return (place[0].source, place[0].line) if place else (None, None)
