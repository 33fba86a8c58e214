"""Decide whether the run failed at all. Below a probability of that, no finding is presented as a failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from logsense.incident.judge import Judgement, features, judge
from logsense.incident.ledger import Entry, goes_on, ledger
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, Reading, SourceEnd
from logsense.model.report import Report
from logsense.runs.attempts import last_begin
from logsense.runs.failures import unclaimed

LEAST_BAD = 0.5  # the least probability of a bad end at which a failure is presented
LEAST_BAD_WITHOUT_FAILURE = 0.7  # the same if no known message failed
LEAST_COMPLETED = 0.6  # the least probability of a good end at which a run is called completed
GOOD_ENDS = ("good", "totals", "saved")
PASTE_RECORDS = 40  # a text of fewer records without a start, progress, an end or a checkpoint is part of a log
KINDS_OF_RUNS = ("start", "end", "checkpoint")


def settle(
    incident: Incident,
    readings: Sequence[Reading],
    ends: Sequence[SourceEnd],
    report: Report,
    catalog: Catalog,
    ends_in_alarm: Callable[[Incident], bool],
) -> Incident:
    """Return `incident` with the outcome of the run, and without failures if a failure is improbable.

    `report` holds the diagnosis of `incident` as it is, and `ends_in_alarm` tells whether its last line looks like an
    error. The findings of a paste or a notebook count in any case, because a person asks what they mean; unless the
    program continues as before, or to a good end.
    """
    signs = Signs(catalog)
    if incident.failing and all(signs.act(one.signature.id) == "value" for one in incident.failing):
        return incident  # a wrong value is a failure, however the run ended
    ledgers = [_ledger(*one, signs) for one in zip(readings, ends, strict=True)]
    observed = [_features(*one, signs) for one in zip(readings, ends, ledgers, strict=True)]
    paste = _is_paste(readings, ends)
    survived = _is_survived(incident, ledgers) or all(one["good"] for one in observed)
    if any(reading.parts for reading in readings) or (paste and incident.outcome == "failed" and not survived):
        return incident
    confidence = report.diagnoses[0].confidence if report.diagnoses else 0.0
    cause = confidence if report.outcome == "failed" else 0.0
    judged = [one for each in observed if (one := judge({**each, "cause": cause}, catalog))]
    if not judged:
        return incident
    worst = max(judged, key=lambda one: one.bad)
    if worst.bad >= LEAST_BAD and incident.failing:
        return incident
    if worst.bad >= LEAST_BAD_WITHOUT_FAILURE:
        outcome = _bad_outcome(worst)
        return incident if paste and outcome == "failed" else incident._replace(outcome=outcome)
    # A run without a diagnosis may also end in a new line such as a metric, unless that looks like an error.
    silent = confidence <= cause and any(end.progress for end in ends) and not ends_in_alarm(incident)
    over = not paste and all(_is_over(one, silent=silent) for one in judged)
    outcome = "completed" if over else "unknown" if incident.outcome == "failed" else incident.outcome
    if outcome == incident.outcome and not incident.failing:
        return incident
    return incident._replace(outcome=outcome, failing=(), survived=(*incident.survived, *incident.failing))


def _is_paste(readings: Sequence[Reading], ends: Sequence[SourceEnd]) -> bool:
    return not any(end.progress for end in ends) and all(
        len(end.records) < PASTE_RECORDS and not any(one.signature.kind in KINDS_OF_RUNS for one in reading.findings)
        for reading, end in zip(readings, ends, strict=True)
    )


def _is_survived(incident: Incident, ledgers: Sequence[Sequence[Entry]]) -> bool:
    """Return whether the program of the only log continues as before after the last failure."""
    return len(ledgers) == 1 and bool(incident.failing) and goes_on(ledgers[0], incident.failing[-1].offset)


def end_features(reading: Reading, end: SourceEnd, catalog: Catalog) -> Mapping[str, float]:
    """Return the features of the end of the last run in a log."""
    signs = Signs(catalog)
    return _features(reading, end, _ledger(reading, end, signs), signs)


def _ledger(reading: Reading, end: SourceEnd, signs: Signs) -> list[Entry]:
    begin = last_begin(reading)
    findings = unclaimed([one for one in reading.findings if one.offset >= begin])
    return ledger([one for one in end.records if one.offset >= begin], findings, _reports(reading, end), signs)


def _reports(reading: Reading, end: SourceEnd) -> list[Finding]:
    begin = last_begin(reading)
    return [one for one in end.progress if one.offset >= begin]


def _features(reading: Reading, end: SourceEnd, entries: Sequence[Entry], signs: Signs) -> Mapping[str, float]:
    return features(entries, _reports(reading, end), signs, cut=not reading.tail.endswith(b"\n"))


def _is_over(judged: Judgement, *, silent: bool) -> bool:
    """Return whether a run ended well: by its own words, or, if it is `silent`, unless its counters expect more."""
    said = any(judged.features[name] for name in GOOD_ENDS) or (silent and not judged.features["under"])
    return judged.ends["completed"] >= LEAST_COMPLETED and said


def _bad_outcome(judged: Judgement) -> str:
    return "failed" if judged.ends["failed"] >= judged.ends["outside"] else "stopped"
