"""Decide whether the run failed at all. Below a probability of that, no finding is presented as a failure."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence

from logsense.incident.alarms import with_alarms
from logsense.incident.judge import STRONG, Judgement, judge
from logsense.incident.last_run import Run
from logsense.incident.overcome import OWN_LINES
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.live import Ended
from logsense.model.reading import FAILING, Incident, SourceEnd

LEAST_BAD = 0.5  # the least probability of a bad end at which a failure is presented
LEAST_BAD_WITHOUT_FAILURE = 0.7  # the same if no known message failed
LEAST_COMPLETED = 0.6  # the least probability of a good end at which a run is called completed
GOOD_ENDS = ("good", "totals", "saved")
PASTE_RECORDS = 40  # a text of fewer records without a start, progress, an end or a checkpoint is part of a log
KINDS_OF_RUNS = ("start", "end", "checkpoint")


def settle(
    incident: Incident,
    runs: Sequence[Run],
    ended: Ended | None,
    signs: Signs,
    *,
    confidence: float,
    anchor: Finding | None,
) -> Incident:
    """Return `incident` with the outcome of its `runs`, and without failures if a failure is improbable.

    `confidence` is the probability of its most probable cause, which rests on `anchor`. If the process failed, or the
    machine's log speaks of the job, nothing is left to judge.
    """
    if incident.machine_log or (ended and ended.failed):
        return incident
    settled = _settled(incident, runs, signs, confidence, anchor)
    return incident if settled == incident else with_alarms(settled, signs)


def _settled(
    incident: Incident, runs: Sequence[Run], signs: Signs, confidence: float, anchor: Finding | None
) -> Incident:
    """Return `incident` as its `runs` ended.

    The findings of a paste or a notebook count in any case, because a person asks what they mean; unless the program
    continues to a good end.
    """
    ends = [run.end for run in runs]
    failed = incident.outcome == "failed" or (anchor is not None and anchor.signature.kind in FAILING)
    incident = _without_trials(_with_value(incident, ends, signs), ends, signs)
    blamed = {place for run in runs for place in run.places(run.caught.blamed)}
    if incident.failing and all(
        signs.act(one.signature.id) == "value" or one.record.key in blamed for one in incident.failing
    ):
        return incident  # wrong values, or all items of the program: a failure, however the run ended
    if not incident.failing and any(run.all_failed for run in runs):
        return incident._replace(outcome="failed")
    survived = all(run.features["good"] or run.features["saved"] for run in runs)
    if any(run.reading.parts for run in runs):
        return incident
    if _is_only_asked(incident, runs):
        return incident._replace(outcome="stopped", failing=(), survived=(*incident.survived, *incident.failing))
    if _is_paste(runs) and incident.outcome == "failed" and not survived:
        return incident
    return _as_judged(incident, runs, signs, confidence, anchor, failed=failed)


def _as_judged(
    incident: Incident, runs: Sequence[Run], signs: Signs, confidence: float, anchor: Finding | None, *, failed: bool
) -> Incident:
    """Return `incident` as the model judges the ends of its `runs`; `failed` says whether the cause is of a failure."""
    paste, cause = _is_paste(runs), confidence if failed else 0.0
    judged = [one for run in runs if (one := judge({**run.features, "cause": cause}, signs))]
    if not judged:
        return incident
    worst = max(judged, key=lambda one: one.bad)
    if worst.bad >= LEAST_BAD and incident.failing:
        return incident
    if worst.bad >= LEAST_BAD_WITHOUT_FAILURE or worst.ends["outside"] >= LEAST_BAD:
        outcome = _bad_outcome(worst)
        return incident if paste and outcome == "failed" else incident._replace(outcome=outcome)
    # A run without a diagnosis may also end in a new line such as a metric, unless that looks like an error.
    # The only line of a log does not differ from those before it.
    worked = any(run.end.progress and len(run.entries) > 1 for run in runs)
    silent = confidence <= cause and worked and not incident.ends_in_alarm
    over = (not paste or all(run.features["good"] for run in runs)) and all(
        _is_over(one, silent=silent) for one in judged
    )
    outcome = "completed" if over else "unknown" if incident.outcome == "failed" else incident.outcome
    if anchor and anchor in incident.context and (not paste or _goes_on_without_gpu(anchor, runs)):
        incident = _without_warnings(incident)
    if outcome == incident.outcome and not incident.failing:
        return incident
    return incident._replace(outcome=outcome, failing=(), survived=(*incident.survived, *incident.failing))


def _with_value(incident: Incident, ends: Sequence[SourceEnd], signs: Signs) -> Incident:
    """Return `incident` with a wrong value as its failure, if the run ended with it, however well by its own words."""
    wrong = [one for one in incident.survived if signs.act(one.signature.id) == "value"]
    if incident.failing or not wrong:
        return incident
    last = wrong[-1]
    metric = last.captures.get("metric")
    records = [one for end in ends for one in (*end.records, *(report.record for report in end.progress))]
    later = (one for one in records if one.source == last.record.source and one.offset > last.offset)
    if not metric or any(str(metric) in one.text for one in later):
        return incident
    same = [one for one in wrong if one.captures.get("metric") == metric]
    rest = tuple(one for one in incident.survived if one not in same)
    return incident._replace(outcome="failed", failing=tuple(same), survived=rest)


def _without_trials(incident: Incident, ends: Sequence[SourceEnd], signs: Signs) -> Incident:
    """Return `incident` without wrong values that some trials of a sweep ended with, and others did not.

    What else failed remains, with the wrong values of the same trial.
    """
    failing = incident.failing
    if not any(signs.act(one.signature.id) == "value" for one in failing):
        return incident
    records = [record for end in ends for record in end.records if record.source == failing[0].record.source]
    begins_by_line: dict[str, int] = {}  # a setting such as a seed is printed again as it was
    for one in records:
        line = one.text.partition("\n")[0]
        if signs.says("trial", line):
            begins_by_line.setdefault(line, one.offset)
    begins = [*begins_by_line.values()]
    every = [*failing, *(one for one in incident.survived if signs.act(one.signature.id) == "value")]
    wrong = {bisect(begins, one.offset) for one in every}
    if len(begins) < 2 or 0 in wrong or len(wrong) == len(begins):
        return incident
    others = {bisect(begins, one.offset) for one in failing if signs.act(one.signature.id) != "value"}
    rest = tuple(one for one in failing if bisect(begins, one.offset) in others)
    survived = (*incident.survived, *(one for one in failing if one not in rest))
    return incident._replace(outcome="failed" if rest else "unknown", failing=rest, survived=survived)


def _goes_on_without_gpu(anchor: Finding, runs: Sequence[Run]) -> bool:
    """Return whether the program only has no GPU, and says several lines of its own after that."""
    said = [
        one
        for run in runs
        for one in run.entries
        if one.kind == "plain" and one.record.offset > anchor.offset and one.record.prefix.level is None
    ]
    return "without_gpu" in anchor.signature.traits and len(said) >= OWN_LINES


def _without_warnings(incident: Incident) -> Incident:
    """Return `incident` with the hints that its program logged, and lived on, as survived."""
    logged = [one for one in incident.context if one.signature.kind == "hint" and one.record.prefix.level is not None]
    context = tuple(one for one in incident.context if one not in logged)
    return incident._replace(context=context, survived=(*incident.survived, *logged))


def _is_paste(runs: Sequence[Run]) -> bool:
    return not any(run.end.progress for run in runs) and all(
        len(run.end.records) < PASTE_RECORDS
        and not any(one.signature.kind in KINDS_OF_RUNS for one in run.reading.findings)
        for run in runs
    )


def _is_only_asked(incident: Incident, runs: Sequence[Run]) -> bool:
    """Return whether a program that was asked to stop had survived its failures, or unknown ones only followed."""
    acts = [(run.reading.source, one) for run in runs for one in reversed(run.entries) if one.strength > STRONG]
    asked = {source: one.record.offset for source, one in acts if one.kind == "stop"}
    strong = {one.record.key for _, one in acts}
    return bool(incident.failing) and all(
        one.record.key not in strong
        if one.offset < asked.get(one.record.source, 0)
        else one.offset > asked.get(one.record.source, one.offset)
        and ("generic" in one.signature.traits or one.signature.kind == "consequence")
        for one in incident.failing
    )


def _is_over(judged: Judgement, *, silent: bool) -> bool:
    """Return whether a run ended well: by its own words, or, if it is `silent`, unless its counters expect more."""
    said = any(judged.features[name] for name in GOOD_ENDS) or (silent and not judged.features["under"])
    return judged.ends["completed"] >= LEAST_COMPLETED and said


def _bad_outcome(judged: Judgement) -> str:
    return "failed" if judged.ends["failed"] >= judged.ends["outside"] else "stopped"
