"""Sorts the findings of a log into the failure that ended it, what was survived, and noise."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.incident.beside import Place, is_outlasted, place_of, places_beside
from logsense.incident.counted import only_counted
from logsense.incident.mentioned import meant
from logsense.incident.of_task import standing
from logsense.incident.outcome import outcome_in, worst
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.reading import FAILING, Incident, Reading, SourceEnd
from logsense.runs.attempts import last_begin
from logsense.runs.failures import unclaimed
from logsense.runs.launchers import run_begins

# A failure after which so many lines (for each rank) were printed without another is taken as survived, whatever it
# was; so far apart, two failures do not belong to one incident either.
LINES_SURVIVED = 400
# A shell tells what it could not do and goes on by itself: behind its complaint so many lines are enough.
LINES_SHELL_WENT_ON = 100
# Between two failures of one incident lie fewer progress reports (for each rank).
PROGRESS_APART = 3
# Between its scheduler's closing message and the kill a job may still report so many steps.
STEPS_AFTER_CLOSING = 40
LINES_TO_NEXT_STEP = 20
# Behind one that may follow from another failure, so many steps at once.
STEPS_FLUSHED = 5
LINES_TO_FLUSHED = 3


def correlate(readings: Sequence[Reading], signs: Signs) -> Incident:
    """Return the incident in `readings`, one for each source."""
    failing: list[Finding] = []
    context: list[Finding] = []
    survived: list[Finding] = []
    noise: list[Finding] = []
    outcomes = []
    last: list[str] = []
    starts = []
    endings = [_end_of_run(reading) for reading in readings]
    for reading, ending in zip(readings, endings, strict=True):
        begin = next(reversed(run_begins(reading)), 0)
        run = reading.findings[begin:]
        starts.append(run[0] if begin and run[0].signature.kind == "start" else None)
        findings = signs.without_quotes(unclaimed(run))
        alive = [f for f in findings if f.signature.kind in FAILING]
        noise += [f for f in reading.findings if f.signature.kind == "noise"]
        context += [f for f in findings if f.signature.kind not in FAILING]
        context += [f for f in reading.findings if f.signature.kind == "fact" and f not in run]
        progress = _progress(ending, alive)
        ended = _good_ends(run, progress)
        saved = [f for f in run if f.signature.kind == "checkpoint"]
        alive = meant(alive, [*progress, *saved, *ended])
        one = _incident(alive, ended, progress, saved, reading, places_beside(findings))
        failing += one
        survived += [f for f in alive if f not in one]
        outcomes.append(outcome_in(one, ended, progress, ending, _announced(run) | {f.offset for f in alive}))
        last += [] if reading.parts else _last(reading, ending)  # a notebook is saved whenever it is
    order = {reading.source: number for number, reading in enumerate(readings)}
    failing.sort(key=lambda f: (order[f.record.source], f.offset, f.at))
    counts: dict[str, int] = {}
    for reading in readings:
        for name, count in reading.counts.items():
            counts[name] = counts.get(name, 0) + count
    return Incident(
        outcome=worst(outcomes),
        failing=tuple(failing),
        context=tuple(context),
        survived=tuple(survived),
        noise=tuple(noise),
        ends=tuple(endings),
        counts=counts,
        only_counted=frozenset[str]().union(*(reading.only_counted for reading in readings)),
        sources=tuple(reading.source for reading in readings),
        lines=sum(reading.lines for reading in readings),
        size=sum(reading.size for reading in readings),
        last=tuple(last),
        starts=tuple(starts),
        places=order,
    )


def _end_of_run(reading: Reading) -> SourceEnd:
    """Return the end of a source with the progress of its last run only."""
    end, begin = reading.end or SourceEnd(), last_begin(reading)
    return end._replace(progress=tuple(one for one in end.progress if one.offset >= begin))


def _good_ends(run: Sequence[Finding], progress: list[Finding]) -> list[Finding]:
    """Return the good ends in `run`, without those of a program that had nothing to work on."""
    ends = []
    idle = -1  # where the program last said so
    for one in run:
        if "idle" in one.signature.traits:
            idle = one.offset
        if one.signature.kind == "end" and (idle < 0 or any(idle < report.offset < one.offset for report in progress)):
            ends.append(one)
    return ends


def _progress(ending: SourceEnd, failing: list[Finding]) -> list[Finding]:
    """Return the progress that is not a failure itself, as a loss that is reported as nan is."""
    failed = {(f.offset, f.line) for f in failing}
    return [f for f in ending.progress if (f.offset, f.line) not in failed]


def _incident(
    alive: list[Finding],
    ended: list[Finding],
    progress: list[Finding],
    saved: list[Finding],
    reading: Reading,
    beside: frozenset[Place],
) -> list[Finding]:
    ranks = max(1, len(({f.rank for f in alive} | {f.rank for f in progress}) - {None}))
    far, apart = LINES_SURVIVED * ranks, PROGRESS_APART * ranks
    if not alive:
        return []
    verdict = standing(alive, progress)
    if verdict:  # what other tasks print after it proves nothing
        ended, progress, saved = (
            [one for one in each if one.offset < verdict.offset] for each in (ended, progress, saved)
        )
    elif (
        (_is_survived(alive[-1], ended, progress, saved, reading, far) and not _winds_down(alive, progress))
        or (place_of(alive[-1]) in beside and is_outlasted(alive[-1], ended, saved))
        or _is_farewell(alive, ended, beside)
    ):
        return []
    counted = only_counted(alive, reading)
    kept = [alive[-1]]
    for finding in reversed(alive[:-1]):
        later = kept[-1]
        if any(begin <= finding.offset and later.offset <= end for begin, end in counted):
            kept.append(finding)
            continue
        between = sum(finding.offset < p.offset < later.offset for p in progress)
        # What came before a good end is of a run that went well, once the failure of this one is known.
        over = any(finding.offset < end.offset < later.offset and end.rank in (None, finding.rank) for end in ended)
        over = over and any(one.signature.kind == "failure" for one in kept)
        if over or between >= apart or later.line - finding.line > far:
            break
        kept.append(finding)
    return kept[::-1]


def _is_farewell(alive: list[Finding], ended: list[Finding], beside: frozenset[Place]) -> bool:
    """Return whether what follows the last good end comes only from processes that leave one by one, or from stopped
    threads.
    """
    if not ended:
        return False
    after = [f for f in alive if f.offset > ended[-1].offset]
    return bool(after) and not any(
        (f.signature.kind == "failure" and place_of(f) not in beside)
        or f.signature.ends_run
        or "stalled" in f.signature.traits
        for f in after
    )


def _is_survived(
    finding: Finding, ended: list[Finding], progress: list[Finding], saved: list[Finding], reading: Reading, far: int
) -> bool:
    """Return whether the run went on after a failure: a good end, steps, a finite value or many lines follow it."""
    if "goes_on" in finding.signature.traits:
        far = min(far, LINES_SHELL_WENT_ON)
    if any(end.offset > finding.offset for end in ended):
        return True
    texts = {
        p.record.text: p.captures.get("steps")
        for p in progress
        if p.offset > finding.offset and (p.rank is None or finding.rank is None or p.rank == finding.rank)
    }
    # Of bars within each other (epochs, batches) each is drawn once more when an exception ends the program.
    after = list(texts.values())
    went_on = after.count(None) + max((after.count(steps) for steps in after if steps is not None), default=0)
    # A checkpoint alone proves nothing: many programs write one when they are stopped.
    rescued = bool(after) and any(f.offset > finding.offset for f in saved)
    # A value that was not finite, reported anew under its name, is finite there.
    metric = str(finding.captures.get("metric") or "").lower()
    recovered = bool(metric) and any(metric in text.lower() for text in texts)
    return went_on >= 2 or rescued or recovered or reading.lines - _last_line(finding, reading) > far


def _last_line(finding: Finding, reading: Reading) -> int:
    """Return the last line of a finding's record, which may be longer than what is read around a message."""
    records = reading.end.records if reading.end else ()
    whole = next((one for one in records if one.offset == finding.offset), finding.record)
    return max(whole.lines[-1], finding.record.lines[-1])


def _winds_down(alive: list[Finding], progress: list[Finding]) -> bool:
    """Return whether the steps only continue after the closing message, as between a job's signal and its kill."""
    closing = next((f for f in reversed(alive) if f.signature.ends_run), None)
    if closing is None:
        return False
    root = closing.signature.kind == "failure"
    lines, steps = (LINES_TO_NEXT_STEP, STEPS_AFTER_CLOSING) if root else (LINES_TO_FLUSHED, STEPS_FLUSHED)
    before = [p for p in progress if p.offset < closing.offset]
    after = [p for p in progress if p.offset > closing.offset]
    # A run that is started anew says more than a few lines before its first step.
    if not before or not after or after[0].line - closing.line > lines or len(after) > steps:
        return False
    places = [place for p in (before[-1], *after) if (place := _place(p))]
    return len(places) == len(after) + 1 and places == sorted(places)


def _place(finding: Finding) -> tuple[int, int] | None:
    """Return how far the run is, as epoch and step; None if its report counts neither."""
    epoch, step = (value if isinstance(value := finding.captures.get(name), int) else -1 for name in ("epoch", "step"))
    return None if epoch == step == -1 else (epoch, step)


def _announced(run: Sequence[Finding]) -> set[int]:
    """Return the offsets of the records whose exception belongs to a message that doesn't matter."""
    return {f.offset for f in run if f.signature.kind == "noise" and "announces" in f.signature.traits}


def _last(reading: Reading, ending: SourceEnd) -> list[str]:
    """Return the signatures in the last meaningful records; noise and up to two unknown lines are skipped."""
    by_offset: dict[int, list[Finding]] = {}
    for finding in (*reading.findings, *ending.progress):
        by_offset.setdefault(finding.offset, []).append(finding)
    unknown = 0
    for record in reversed(ending.records):
        found = by_offset.get(record.offset, [])
        named = [f.signature.id for f in found if f.signature.kind != "noise"]
        if named:
            return named
        if not found and record.text.strip():
            unknown += 1
            if unknown > 2:
                return []
    return []
