"""Did the run fail at all? Below a probability of that, nothing that was found is presented as a failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logsense.incident.judge import Judgement, features, judge
from logsense.incident.ledger import Entry, goes_on, ledger
from logsense.incident.signs import Signs
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, Reading, SourceEnd
from logsense.model.report import Report
from logsense.runs.attempts import last_begin
from logsense.runs.failures import unclaimed

BAR = 0.5  # so probable must it be that the run ended badly
BAR_ALONE = 0.7  # where nothing that failed is known
SURE = 0.6  # or that it ended well
WORDS = ("good", "totals", "saved", "whole")
OF_PASTE = 40  # a text of fewer records, in which nothing begins, goes on or ends, is a part of a log
OF_RUNS = ("start", "end", "checkpoint")


def settle(
    incident: Incident, readings: Sequence[Reading], endings: Sequence[SourceEnd], report: Report, catalog: Catalog
) -> Incident:
    """`incident` with what became of the run; nothing of it is failing where that is not probable.

    `report` names the causes that are known. Of a part of a log, a person asks what it means: what was found there, or
    in a notebook, counts, unless the program goes on as before, or to a good end.
    """
    signs = Signs(catalog)
    if incident.failing and all(signs.act(one.signature.id) == "value" for one in incident.failing):
        return incident  # whatever the end, it is not what was wanted
    books = [_ledger(*one, signs) for one in zip(readings, endings, strict=True)]
    told = [_told(*one, signs) for one in zip(readings, endings, books, strict=True)]
    paste = _is_paste(readings, endings)
    goes = _is_outlived(incident, books) or all(each["good"] for each in told)
    if any(reading.parts for reading in readings) or (paste and incident.outcome == "failed" and not goes):
        return incident
    sure = report.diagnoses[0].confidence if report.diagnoses else 0.0
    cause = sure if report.outcome == "failed" else 0.0
    judged = [one for each in told if (one := judge({**each, "cause": cause}, catalog))]
    if not judged:
        return incident
    worst = max(judged, key=lambda one: one.bad)
    if worst.bad >= BAR and incident.failing:
        return incident
    if worst.bad >= BAR_ALONE:
        outcome = _ended_badly(worst)
        return incident if paste and outcome == "failed" else incident._replace(outcome=outcome)
    over = not paste and all(_is_over(one) for one in judged)
    outcome = "completed" if over else "unknown" if incident.outcome == "failed" else incident.outcome
    if outcome == incident.outcome and not incident.failing:
        return incident
    return incident._replace(outcome=outcome, failing=(), survived=(*incident.survived, *incident.failing))


def _is_paste(readings: Sequence[Reading], endings: Sequence[SourceEnd]) -> bool:
    return not any(ending.progress for ending in endings) and all(
        len(ending.records) < OF_PASTE and not any(one.signature.kind in OF_RUNS for one in reading.findings)
        for reading, ending in zip(readings, endings, strict=True)
    )


def _is_outlived(incident: Incident, books: Sequence[Sequence[Entry]]) -> bool:
    """Whether the program of the only log goes on as before behind the last failure."""
    return len(books) == 1 and bool(incident.failing) and goes_on(books[0], incident.failing[-1].offset)


def end_features(reading: Reading, ending: SourceEnd, catalog: Catalog) -> Mapping[str, float]:
    """What the model goes by of the last run in a log."""
    signs = Signs(catalog)
    return _told(reading, ending, _ledger(reading, ending, signs), signs)


def _ledger(reading: Reading, ending: SourceEnd, signs: Signs) -> list[Entry]:
    begin = last_begin(reading)
    findings = unclaimed([one for one in reading.findings if one.offset >= begin])
    return ledger([one for one in ending.records if one.offset >= begin], findings, _reports(reading, ending), signs)


def _reports(reading: Reading, ending: SourceEnd) -> list[Finding]:
    begin = last_begin(reading)
    return [one for one in ending.progress if one.offset >= begin]


def _told(reading: Reading, ending: SourceEnd, entries: Sequence[Entry], signs: Signs) -> Mapping[str, float]:
    return features(entries, _reports(reading, ending), signs, cut=not reading.tail.endswith(b"\n"))


def _is_over(judged: Judgement) -> bool:
    """Return whether a run ended well: its own words or whole counters have to say so."""
    return judged.ends["completed"] >= SURE and any(judged.features[name] for name in WORDS)


def _ended_badly(judged: Judgement) -> str:
    return "failed" if judged.ends["failed"] >= judged.ends["outside"] else "stopped"
