"""`logsense watch FILE…`: follows logs that somebody else writes, and explains a failure or a stall when it comes."""

from __future__ import annotations

import os
import sys
import time

from logsense.cli.compiling import compile_in_background
from logsense.cli.conclude import STATUS_FAILURE_FOUND, conclude
from logsense.cli.explain import catalog_of
from logsense.cli.guess import file_meant
from logsense.cli.output import look_of, note, write
from logsense.jobs.follow import Follower, Silence
from logsense.model.values import show_seconds, to_seconds
from logsense.pipeline import explain, explain_text
from logsense.sources.find import resolve
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.model.report import Report

EVERY_S = 0.5
# A failure is certain when so long nothing follows it; launchers and other ranks often have more to say.
QUIET_S = 3.0
TAIL_BYTES = 1 << 20
BEHIND_S = 2.0


def run(given: dict[str, object]) -> int:
    """Follows the files until one tells of a failure or of a good end; gives the exit status."""
    from logsense.cli.lenient import usable_settings

    stall, keep = given.pop("stall_after", None), bool(given.pop("keep_on", False))
    files = given.pop("files", None) or ()
    fixed_s = to_seconds(str(stall)) if stall is not None else None
    if stall is not None and not fixed_s:
        raise InputError("--stall-after takes a time such as 90s, 10min or 1h")
    if not isinstance(files, (list, tuple)) or not files:
        raise InputError("say which files to follow: logsense watch train.log")
    settings = usable_settings(given)._replace(pager="never")
    if settings.notify:
        from logsense.cli.notify import check_early

        check_early(settings.notify)
    watcher = Watcher([str(one) for one in files], settings, fixed_s)
    for name in files:
        if not os.path.exists(str(name)):
            note(f"waiting for {name}, which does not exist yet{file_meant(str(name))}", settings)
    while True:
        status = watcher.turn(time.monotonic())
        if status is not None and not keep:
            return status
        time.sleep(EVERY_S)


class Watcher:
    """Follows several logs of one job."""

    def __init__(self, paths: list[str], settings: Settings, fixed_s: float | None) -> None:
        self._followers = [Follower(path) for path in paths]
        self._tails = [bytearray() for _ in paths]
        self._settings = settings
        compile_in_background(settings)
        self._catalog: Catalog = catalog_of(settings)
        now_s = time.monotonic()
        self._rhythm = Silence(now_s, fixed_s)
        self._heard_s = [now_s] * len(paths)
        self._seen = self._told_stall = False
        self._looked = True
        self._told: tuple[str | None, int | None] = (None, None)

    def turn(self, now_s: float) -> int | None:
        """Reads what is new and says what there is to say; the exit status where the job is over."""
        if self._read():
            self._rhythm.heard(now_s)
            self._seen, self._looked, self._told_stall = True, False, False
            return None
        silent_s = self._rhythm.silent_s(now_s)
        if not self._looked and silent_s >= QUIET_S:
            self._looked = True
            return self._look()
        if self._seen and not self._told_stall and silent_s >= self._rhythm.limit_s:
            self._told_stall = True
            self._tell_stall(silent_s)
        return None

    def _read(self) -> bool:
        new = False
        for number, (follower, tail) in enumerate(zip(self._followers, self._tails, strict=True)):
            before = follower.restarts
            while data := follower.read():
                if follower.restarts != before:
                    tail.clear()
                    before = follower.restarts
                tail += data
                del tail[:-TAIL_BYTES]
                self._heard_s[number] = time.monotonic()
                new = True
        return new

    def _look(self) -> int | None:
        """A quick look at the ends; only where they tell of an end, all is read again."""
        quick = [explain_text(bytes(tail), self._catalog, name="tail").outcome for tail in self._tails if tail]
        if "failed" in quick:
            report = self._explain()
            place = report.diagnoses[0].evidence[:1] if report.diagnoses else report.unexplained[:1]
            told = (place[0].source, place[0].line) if place else (None, None)
            if report.outcome != "failed" or told == self._told:
                return None
            self._told = told
            conclude(report, self._settings, sys.stdout)
            return STATUS_FAILURE_FOUND if self._settings.exit_code else 0
        if quick and all(outcome == "completed" for outcome in quick):
            conclude(self._explain(), self._settings, sys.stdout)
            return 0
        return None

    def _explain(self) -> Report:
        sources = resolve([one.path for one in self._followers], stdin=sys.stdin)
        return explain(sources, self._catalog)

    def _silent_first(self) -> str:
        """Which log fell silent clearly before all others, in words; "" where none did."""
        order = sorted(range(len(self._heard_s)), key=lambda number: self._heard_s[number])
        if len(order) < 2:
            return ""
        ahead_s = self._heard_s[order[1]] - self._heard_s[order[0]]
        if ahead_s < BEHIND_S:
            return ""
        return f"{self._followers[order[0]].path} fell silent first, {show_seconds(ahead_s)} before the next one"

    def _tell_stall(self, silent_s: float) -> None:
        from logsense.cli.stall import look_at_stall, stall_text
        from logsense.machine.host.processes import tree
        from logsense.machine.open_files import writers_of

        writers = writers_of([one.path for one in self._followers])
        pids = {pid for writer in writers for pid in tree(writer)}
        live, processes = look_at_stall(sorted(pids), silent_s)
        shape = look_of(sys.stdout, self._settings)
        write(stall_text(silent_s, self._rhythm.usual_s, live, processes, shape), sys.stdout, self._settings)
        first = self._silent_first()
        if first:
            note(first, self._settings)
        if not processes:
            note("no process here has the log open: what writes it runs elsewhere, or has ended", self._settings)
        report = explain(
            resolve([one.path for one in self._followers], stdin=sys.stdin), self._catalog, look=lambda: live
        )
        if report.diagnoses:
            conclude(report, self._settings, sys.stdout)
