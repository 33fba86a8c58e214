"""What else failed in the same logs: other attempts, cells of a notebook or programs, and what a log goes on after."""

from __future__ import annotations

from logsense.advise.report import diagnose
from logsense.incident.incident import correlate
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, Reading, SourceEnd
from logsense.model.report import Attempt, Culprit, Diagnosis, Report
from logsense.runs.cells import alone
from logsense.runs.clocks import in_time
from logsense.runs.programs import programs_apart

# Of many failures that a log goes on after, the last ones.
MOST_SURVIVED = 3


def other_attempts(tried: list[list[Reading]], cells: list[Reading], catalog: Catalog) -> tuple[Attempt, ...]:
    """What the attempts `tried` and the `cells` failed of, oldest first, as far as anybody can tell."""
    attempts = [one for one in (_attempt(readings, catalog) for readings in tried) if one]
    return (*attempts, *(one._replace(what="cell") for one in (_attempt([cell], catalog) for cell in cells) if one))


def failed_before(tried: list[list[Reading]], last: tuple[Attempt, ...], catalog: Catalog) -> tuple[Attempt, ...]:
    """What the last attempts before one that did not fail failed of, where an exception says it, in front of what the
    `last` one went on after."""
    raised = [
        readings for readings in tried if any(_is_raised(one) for reading in readings for one in reading.findings)
    ]
    told = (one._replace(what="failure") for one in other_attempts(raised, [], catalog))
    return (*told, *last)[-MOST_SURVIVED:]


def other_failures(
    report: Report, incident: Incident, readings: list[Reading], cells: list[Reading], catalog: Catalog
) -> tuple[Attempt, ...]:
    """What failed beside what `report` tells first: what the logs go on after, or else other programs."""
    survived = _survived(incident, readings, cells, catalog) if incident.survived else ()
    return survived or (_other_programs(report, incident, readings, catalog) if report.diagnoses else ())


def _survived(
    incident: Incident, readings: list[Reading], cells: list[Reading], catalog: Catalog
) -> tuple[Attempt, ...]:
    """The exceptions that the logs go on after, of a program that others followed, or caught and printed, and those of
    other `cells` of a notebook; of those that are told in the same words, the last."""
    found = [one._replace(what="failure") for one in other_attempts([], cells, catalog)]
    for findings in list(_survived_records(incident).values())[-MOST_SURVIVED:]:
        reading = next(reading for reading in readings if reading.source == findings[0].record.source)
        one = _attempt([alone(reading, findings)], catalog)
        found += [one._replace(what="failure")] if one else []
    last = {one.title: number for number, one in enumerate(found)}
    told = [found[number] for number in sorted(last.values())]
    failed, total = incident.tally
    if failed > 1 and told:
        count = f"{failed:,} of {total:,}" if total else f"{failed:,}"
        told[-1] = told[-1]._replace(title=f"{count} items, the last with: {told[-1].title}")
    return tuple(told)


def _other_programs(
    report: Report, incident: Incident, readings: list[Reading], catalog: Catalog
) -> tuple[Attempt, ...]:
    """What other programs of the log failed of that the first diagnosis of `report` is about, the first of them."""
    first = report.diagnoses[0]
    proof = first.evidence[0] if first.evidence else None
    if proof is None or proof.source is None or proof.line is None:
        return ()
    told: dict[str, Attempt] = {}
    for findings in programs_apart(incident.failing, (proof.source, proof.line))[:MOST_SURVIVED]:
        reading = next(reading for reading in readings if reading.source == findings[0].record.source)
        one = _attempt([alone(reading, findings)], catalog)
        if one and one.title != first.title:
            told.setdefault(one.title, one._replace(what="program"))
    return tuple(told.values())


def _survived_records(incident: Incident) -> dict[tuple[str, int], list[Finding]]:
    """Return the survived failures by record, oldest first: tracebacks, or all if items of the program failed."""
    found: dict[tuple[str, int], list[Finding]] = {}
    for finding in incident.survived:
        if _is_raised(finding) or (incident.tally.failed > 1 and finding.signature.kind == "failure"):
            found.setdefault((finding.record.source, finding.offset), []).append(finding)
    return found


def _is_raised(finding: Finding) -> bool:
    """Whether the finding is a failure that a traceback shows."""
    raised = finding.record.raised
    return raised is not None and bool(raised.frames) and finding.signature.kind == "failure"


def _attempt(readings: list[Reading], catalog: Catalog) -> Attempt | None:
    """What another attempt failed of; None where it did not, or nobody can tell."""
    report = diagnose(correlate(in_time(readings), [SourceEnd() for _ in readings]), catalog)
    if report.outcome != "failed" or not report.diagnoses:
        return None
    first = report.diagnoses[0]
    return Attempt(first.cause, first.title, report.culprits or _place(first))


def _place(diagnosis: Diagnosis) -> tuple[Culprit, ...]:
    """Where the first line stands that proves it."""
    for one in diagnosis.evidence:
        if one.source and one.line is not None:
            return (Culprit(None, one.host, one.source, one.line),)
    return ()
