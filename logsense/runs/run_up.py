"""What precedes the failure of a run: when the run began, and progress that lies far from the end of the log."""

from __future__ import annotations

from logsense.match.progress import NEWEST, progress_in
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Excerpt, Incident, Reading
from logsense.records.records import records_in
from logsense.runs.attempts import last_begin
from logsense.util.times import clock_of

HEAD_BYTES = 4096  # the first lines of a run, which have its first times
BEFORE_BYTES = 16 << 10  # before a failure, in which its last progress is looked for


def with_run_up(incident: Incident, readings: list[Reading], catalog: Catalog) -> Incident:
    """Return `incident` with when its run began, and with the progress before a failure that lies far from the end."""
    if not readings:
        return incident
    end = incident.failing[0] if incident.failing else None
    number = incident.order(end)[0] if end else 0
    reading, start = readings[number], incident.starts[number]
    first = [start.record] if start else records_in(reading, _beginning(reading))
    began = {clock_of(time): time for record in reversed(first) if (time := record.prefix.time)}
    near = incident.ends[number].records[-NEWEST:]
    run_up = _progress_before(end, reading, catalog) if end and (not near or end.offset <= near[0].offset) else []
    return incident._replace(begin_times=tuple(began.values()), progress_before=tuple(run_up))


def _beginning(reading: Reading) -> Excerpt:
    """Return the first bytes of the last run in a log."""
    begin = last_begin(reading)
    part = reading.tail if reading.restarts and begin >= reading.tail.offset else reading.head
    begin = begin if part is reading.tail else part.offset
    return part.cut(begin, begin + HEAD_BYTES)


def _progress_before(end: Finding, reading: Reading, catalog: Catalog) -> list[Finding]:
    tail = reading.tail
    lead = next((one for one in reversed(reading.texts_before) if one.end <= end.offset), None)
    if tail.offset < end.offset and (lead is None or lead.end < end.offset):
        lead = tail.cut(tail.offset, end.offset).last(BEFORE_BYTES)
    if lead is None:
        return []
    before = records_in(reading, lead)
    return [one for one in progress_in(catalog, before) if one.offset >= last_begin(reading)]
