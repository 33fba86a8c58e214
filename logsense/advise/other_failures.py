"""What else failed in the same logs: other attempts, cells of a notebook or programs, and what a log goes on after."""

from __future__ import annotations

from collections.abc import Callable

from logsense.advise.proof import proof
from logsense.advise.report import brief
from logsense.diagnose.rank import Ranking, rank_causes
from logsense.incident.incident import correlate
from logsense.incident.signs import KILLED, Signs
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, Reading
from logsense.model.report import Attempt
from logsense.runs.attempts import Job
from logsense.runs.cells import alone
from logsense.runs.clocks import in_time
from logsense.runs.programs import programs_apart

Attempts = Callable[[list[list[Reading]], str], list[Attempt]]  # the causes of what failed, under a word for it
MOST_SURVIVED = 3  # of many failures that a log goes on after, the last ones


def other_failures(ranking: Ranking, job: Job, catalog: Catalog, signs: Signs) -> tuple[Attempt, ...]:
    """Return what else failed, oldest first: other attempts and cells, or else what the logs go on after, or else other
    programs of the same log."""
    incident = ranking.incident

    def attempts(tried: list[list[Reading]], what: str) -> list[Attempt]:
        """Return the causes of what failed in each of `tried`, as far as they are known."""
        incidents = (correlate([one._replace(end=None) for one in in_time(logs)], signs) for logs in tried)
        found = (brief(rank_causes(one, catalog)) for one in incidents)
        return [one._replace(what=what) for one in found if one]

    others: list[Attempt] = []
    if ranking.causes:
        others = [
            *(one._replace(more=job.more) for one in attempts(job.others, "attempt")),
            *attempts([[cell] for cell in job.cells], "cell"),
        ]
    if not others and incident.survived:
        others = _survived(incident, job, attempts, signs)
    if not others and ranking.causes and len({finding.offset for finding in incident.failing}) > 1:
        others = _other_programs(ranking, job, attempts)
    if job.others and not ranking.causes:
        raised = [one for one in job.others if any(_is_raised(found) for reading in one for found in reading.findings)]
        others = [*attempts(raised, "failure"), *others][-MOST_SURVIVED:]
    return tuple(others)


def _survived(incident: Incident, job: Job, attempts: Attempts, signs: Signs) -> list[Attempt]:
    """Return the exceptions that the logs go on after, of a program that others followed, or caught and printed,
    programs that were killed, and what failed in other cells of a notebook; of those with the same title, the last."""
    found = attempts([[cell] for cell in job.cells], "failure")
    for records in list(_survived_records(incident, signs).values())[-MOST_SURVIVED:]:
        killed = next((one for one in records if signs.act(one.signature.id) == KILLED), None)
        title = " ".join(killed.text.split()) if killed else ""  # names the program
        found += [one._replace(title=title or one.title) for one in attempts([_alone(records, job)], "failure")]
    last = {one.title: number for number, one in enumerate(found)}
    shown = [found[number] for number in sorted(last.values())]
    failed, total = incident.tally
    if failed > 1 and shown:
        count = f"{failed:,} of {total:,}" if total else f"{failed:,}"
        shown[-1] = shown[-1]._replace(title=f"{count} items, the last with: {shown[-1].title}")
    return shown


def _other_programs(ranking: Ranking, job: Job, attempts: Attempts) -> list[Attempt]:
    """Return why other programs of the log failed than the one of the most probable cause, the first of them."""
    first = brief(ranking)
    shown = proof("", ranking.anchor) if ranking.anchor else None
    if first is None or shown is None or shown.source is None or shown.line is None:
        return []
    programs = programs_apart(ranking.incident.failing, (shown.source, shown.line))[:MOST_SURVIVED]
    others: dict[str, Attempt] = {}
    for one in attempts([_alone(found, job) for found in programs], "program"):
        if one.title != first.title:
            others.setdefault(one.title, one)
    return list(others.values())


def _alone(findings: list[Finding], job: Job) -> list[Reading]:
    """Return the log of `findings` as if it held nothing else."""
    reading = next(reading for reading in job.asked if reading.source == findings[0].record.source)
    return [alone(reading, findings)]


def _survived_records(incident: Incident, signs: Signs) -> dict[tuple[str, int], list[Finding]]:
    """Return the survived failures by record, oldest first: tracebacks and killed programs, or all if items of the
    program failed."""
    found: dict[tuple[str, int], list[Finding]] = {}
    for finding in incident.survived:
        killed = signs.act(finding.signature.id) == KILLED
        if killed or _is_raised(finding) or (incident.tally.failed > 1 and finding.signature.kind == "failure"):
            found.setdefault(finding.record.key, []).append(finding)
    return found


def _is_raised(finding: Finding) -> bool:
    """Return whether the finding is a failure that a traceback shows."""
    raised = finding.record.raised
    return raised is not None and bool(raised.frames) and finding.signature.kind == "failure"
