"""The progress of a run: how far it came, how its numbers changed, and what it saved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from logsense.model.finding import Finding
from logsense.model.reading import Incident
from logsense.model.values import fact_value
from logsense.util.regexes import Lazy
from logsense.util.times import DAY_S, clock_of, seconds_between

# Nested bars may be active at once: the main one is among so many of the last reports.
LATEST = 200
# Least number of reports for a climb or a rising loss.
LEAST_REPORTS = 6
CLIMBED = 1.2
LOSS_ROSE = 3.0
# A silence this long, and this many times the longest before it, shows that the run had stopped working.
LEAST_SILENT_S, TIMES_SILENT = 600.0, 3.0
# What a program says of its memory beside its steps.
MEMORY = Lazy(
    r"(?i)(?<![a-z])(?:[a-z]{1,20}[ _])?mem(?:ory|_\w{1,20})?(?:[ _]\w{1,20})?[ \t]{0,2}[:= ][ \t]{0,4}"
    r"(\d{1,9}(?:\.\d{1,6})? ?[KMGT]i?B?)\b"
)
# What a program prints before it writes a checkpoint.
ANNOUNCES = Lazy(r"(?i)(?<!finished )\bsaving\b")


class RunProgress:
    """The progress reports before the failure (or the end of the log), evaluated on demand."""

    def __init__(self, incident: Incident) -> None:
        self._incident = incident
        self.end = incident.failing[0] if incident.failing else None
        self.reports = _reports(incident, self.end)
        self.main = _main(self.reports)

    def value(self, name: str) -> object | None:
        """Return the fact `log.<name>` about the progress; None if it is unknown."""
        if name == "last_step":
            return self.main.captures.get("step") if self.main else None
        if name == "total_steps":
            return self.main.captures.get("steps") if self.main else None
        if name in ("last_epoch", "total_epochs", "last_loss"):
            return _last(self.reports, {"last_epoch": "epoch", "total_epochs": "epochs", "last_loss": "loss"}[name])
        known = {"elapsed": self.elapsed_s, "silent": self.silent_s, "pace": self.pace_s, "last_time": self.time_of_end}
        if name in known:
            return known[name]()
        if name in ("checkpoint_step", "checkpoint_path"):
            saved = self.saved()
            return saved.captures.get(name.removeprefix("checkpoint_")) if saved else None
        memory = self._series("memory")
        if name == "memory_climbs":
            return _climbs(memory)
        if name == "memory_growth":
            return round(memory[-1] / memory[0], 2) if memory and memory[0] > 0 else None
        assert name == "loss_rises"
        losses = self._series("loss")
        return len(losses) >= LEAST_REPORTS and losses[-1] >= LOSS_ROSE * min(losses) > 0

    def saved(self) -> Finding | None:
        """Return the last checkpoint that was written before the failure."""
        found = self._before_end([f for f in self._incident.context if f.signature.kind == "checkpoint"])
        found = [f for f in found if not ANNOUNCES.search(f.record.text) or self._went_on_after(f, found)]
        numbered = [f for f in found if "step" in f.captures or "epoch" in f.captures]
        return (numbered or found)[-1] if found else None

    def _before_end(self, found: Sequence[Finding]) -> list[Finding]:
        order = self._incident.order
        end = order(self.end) if self.end else None
        return [f for f in found if end is None or order(f)[0] != end[0] or order(f) < end]

    def _went_on_after(self, announced: Finding, saved: Sequence[Finding]) -> bool:
        """Return whether the program that announced a checkpoint reported progress, or the next one, after it."""
        reports = [*self._incident.progress_before, *(one for end in self._incident.ends for one in end.progress)]
        later = [*self._before_end(reports), *(f for f in saved if f.signature.id == announced.signature.id)]
        return any(f.record.source == announced.record.source and f.offset > announced.offset for f in later)

    def since_s(self, saved: Finding) -> float | None:
        """Return the seconds from a checkpoint to the failure (or the last line of the log with a time).

        If the checkpoint's line has no time, they are estimated from the steps since then.
        """
        begin, end = saved.record.prefix.time, self.time_of_end()
        if begin and end and (known := seconds_between(begin, end)) is not None:
            return known
        step, saved_step = self.main.captures.get("step") if self.main else None, saved.captures.get("step")
        pace = self.pace_s()
        if pace is None or not isinstance(step, (int, float)) or not isinstance(saved_step, (int, float)):
            return None
        return round((step - saved_step) * pace, 1) if step >= saved_step else None

    def pace_s(self) -> float | None:
        """Return the seconds per step in the last reports of the main loop."""
        own = [
            r for r in self.reports if self.main and r.signature.id == self.main.signature.id and r.record.prefix.time
        ]
        if len(own) < 2:
            return None
        steps = [report.captures.get("step") for report in (own[0], own[-1])]
        took = seconds_between(own[0].record.prefix.time or "", own[-1].record.prefix.time or "")
        first, last = steps
        if took is None or not isinstance(first, (int, float)) or not isinstance(last, (int, float)) or last <= first:
            return None
        return took / (last - first)

    def elapsed_s(self) -> float | None:
        """Return the seconds from the beginning of the run to the failure (or the last line of the log with a time)."""
        elapsed = self.main.captures.get("elapsed") if self.main else None
        times_s = [took for report in self.reports if isinstance(took := report.captures.get("elapsed"), float)]
        longest = max(times_s, default=0.0)
        end = self.time_of_end()
        if end:
            for began in self._incident.begin_times:
                if clock_of(began) == clock_of(end) and began != end:
                    between = seconds_between(began, end)
                    # A bar that counted longer proves that the log begins in the middle of the run.
                    return between if between is None else max(between, longest)
        # If an earlier bar counted longer, this one covers only a part of the run.
        return elapsed if isinstance(elapsed, float) and elapsed >= longest else None

    def silent_s(self) -> float | None:
        """Return for how long nothing was printed before the failure, if that is far longer than ever before."""
        end = self.time_of_end()
        printed = [time for time in self._times() if end and clock_of(time) == clock_of(end)]
        if not end or len(printed) < LEAST_REPORTS:
            return None
        silent = seconds_between(printed[-1], end)
        gaps = [seconds_between(*pair) or 0.0 for pair in pairwise(printed)]
        longest = max(LEAST_SILENT_S, TIMES_SILENT * max(gaps))
        return silent if silent is not None and longest <= silent < DAY_S else None

    def _times(self) -> list[str]:
        """Return the times printed near the end of the log, before the failure."""
        if self.end is None:
            return []
        records = self._incident.ends[self._incident.order(self.end)[0]].records
        return [one.prefix.time for one in records if one.offset < self.end.offset and one.prefix.time]

    def time_of_end(self) -> str | None:
        """Return the time of the failure, or the last one that the log prints."""
        if self.end is None:
            records = [record for ending in self._incident.ends for record in ending.records]
        else:
            if self.end.record.prefix.time:
                return self.end.record.prefix.time
            stated = self.end.captures.get("at")  # a scheduler's closing message states its own time
            if isinstance(stated, str) and clock_of(stated) == "iso":
                return stated
            ending = self._incident.ends[self._incident.order(self.end)[0]]
            records = [record for record in ending.records if record.offset < self.end.offset]
        return next((record.prefix.time for record in reversed(records) if record.prefix.time), None)

    def _series(self, slot: str) -> list[float]:
        """Return the finite values of a slot in order, from the program that reports it most."""
        by_id: dict[str, list[float]] = {}
        for report in self.reports:
            value = report.captures.get(slot)
            if value is None and slot == "memory" and (said := MEMORY.search(report.record.text)):
                value = fact_value("bytes", said[1])
            if isinstance(value, (int, float)) and abs(value) < float("inf"):
                by_id.setdefault(report.signature.id, []).append(value)
        return max(by_id.values(), key=len, default=[])


def _reports(incident: Incident, end: Finding | None) -> list[Finding]:
    """Return the progress before the failure in its own source, or else in the others (often only rank 0 reports)."""
    if end is not None:
        number, offset, _ = incident.order(end)
        own = [*incident.progress_before, *(incident.ends[number].progress if number < len(incident.ends) else ())]
        # A bar, or the step whose loss is nan, may precede the failure on the same line.
        before = [f for f in own if f.offset < offset or (f.offset == offset and _precedes(f, end))]
        if before:
            return before
    return [finding for ending in incident.ends for finding in ending.progress if end is None or _other(finding, end)]


def _precedes(report: Finding, end: Finding) -> bool:
    """Return whether `report` is before `end` on the same line."""
    return report.record.text != end.record.text or report.at < end.at


def _other(finding: Finding, end: Finding) -> bool:
    return finding.record.source != end.record.source


def _main(reports: Sequence[Finding]) -> Finding | None:
    """Return the latest report of the main loop: of the active bars, the one with a loss, or with the most steps."""
    latest: dict[object, Finding] = {}
    for report in reports[-LATEST:]:
        if "step" in report.captures:
            # The unit of a bar's pace may change; bars with the same number of steps are the same.
            loop = report.captures.get("steps") or report.signature.id
            latest.pop(loop, None)
            latest[loop] = report
    unfinished = [r for r in latest.values() if r.captures.get("step") != r.captures.get("steps")]
    return max(reversed(unfinished or list(latest.values())), key=_main_key, default=None)


def _main_key(report: Finding) -> tuple[bool, float]:
    counts = [report.captures.get(slot) for slot in ("steps", "step")]
    return "loss" in report.captures, max(c for c in (*counts, 0) if isinstance(c, (int, float)))


def _last(reports: Sequence[Finding], slot: str) -> object | None:
    return next((r.captures[slot] for r in reversed(reports) if slot in r.captures), None)


def _climbs(values: Sequence[float]) -> bool:
    """Return whether values rise from the first to the last, and still do in the last quarter."""
    if len(values) < LEAST_REPORTS:
        return False
    half, late = values[len(values) // 2], values[3 * len(values) // 4]
    return values[0] <= half < late < values[-1] and values[-1] >= CLIMBED * values[0] > 0


def plain_lines_after(incident: Incident, anchor: Finding) -> int:
    """Return how many records after the anchor match no signature (near the end of its source)."""
    known = {f.offset for f in (*incident.failing, *incident.context, *incident.noise)}
    number = incident.order(anchor)[0]
    records = incident.ends[number].records
    return sum(r.offset > anchor.offset and r.offset not in known and bool(r.text.strip()) for r in records)
