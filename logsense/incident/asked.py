"""Choose the attempt to explain: the last one that made progress."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.incident.held_output import in_order
from logsense.incident.incident import correlate
from logsense.incident.signs import Signs
from logsense.match.read import with_ends
from logsense.model.knowledge import Catalog
from logsense.model.reading import Reading, SourceEnd
from logsense.runs.attempts import Job, last_begin
from logsense.runs.clocks import in_time, of_this_job

WHOLE_LINES = 40  # a run that printed fewer is too short to judge its end


def with_asked(job: Job, catalog: Catalog, signs: Signs) -> Job:
    """Return `job` with the attempt that is asked about, its logs in order and with their ends.

    This is the last attempt that made progress, since a later one may only fail of what the failure left behind. The
    last one counts if the attempt before it went well, or if it did not fail and is long enough to judge.
    """
    tried = [*job.others, job.asked]
    last = len(tried) - 1
    newest = _prepared(tried[last], catalog)
    asked, readings = last, newest
    for number in reversed(range(len(tried) if job.others else 0)):
        looked_at = newest if number == last else _prepared(tried[number], catalog)
        ran = any(_end_of_last_run(log).progress for log in looked_at)
        if ran and not _refused(looked_at):
            if number != last and correlate(looked_at, signs).failing:
                asked, readings = number, looked_at
            break
        if number == last and _is_whole(looked_at) and not correlate(looked_at, signs).failing:
            break
        if number and any(one.signature.kind == "end" for log in tried[number - 1] for one in log.findings):
            break
    others = [*tried[:asked], *tried[asked + 1 :]]
    return job._replace(asked=[in_order(reading, signs) for reading in readings], others=others)


def _prepared(readings: list[Reading], catalog: Catalog) -> list[Reading]:
    return with_ends(in_time(of_this_job(readings)), catalog)


def _refused(readings: Sequence[Reading]) -> bool:
    """Return whether the last failure is a refusal before anything ran: the progress before it is of another run."""
    failed = [finding for reading in readings for finding in reading.findings if finding.signature.kind == "failure"]
    return bool(failed) and "refusal" in failed[-1].signature.traits


def _is_whole(readings: Sequence[Reading]) -> bool:
    """Return whether the last run in one of the logs printed enough to judge its end."""
    printed = (sum(len(one.lines) for one in _end_of_last_run(log).records) for log in readings)
    return any(lines >= WHOLE_LINES for lines in printed)


def _end_of_last_run(log: Reading) -> SourceEnd:
    """Return what the last run in a log left of its end."""
    begin, end = last_begin(log), log.end or SourceEnd()
    records = tuple(one for one in end.records if one.offset >= begin)
    return SourceEnd(records, tuple(one for one in end.progress if one.offset >= begin))
