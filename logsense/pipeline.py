"""Where the stages meet: what was read from the sources → findings → incident → report."""

from __future__ import annotations

from functools import partial

from logsense.advise.harmless import without_gpu
from logsense.advise.report import diagnose
from logsense.diagnose.ownership import meanwhile, owned
from logsense.incident.beside import as_ended
from logsense.incident.caught import without_caught
from logsense.incident.incident import correlate
from logsense.incident.verdict import last_run, settle
from logsense.match.engines import engine_for, over_wraps
from logsense.match.progress import progress_in
from logsense.match.read import SMALL_BYTES, scan_plain, scan_sources, scan_text, searchers, source_ends
from logsense.match.scanner import Scanner
from logsense.model.live import Live, LiveFact
from logsense.model.reading import FAILING, Reading, SourceEnd
from logsense.records.rank_by_name import attempt_of
from logsense.records.records import records
from logsense.runs.attempts import attempts, last_begin
from logsense.runs.clocks import in_time, of_this_job
from logsense.runs.opening_again import with_restarts
from logsense.util.times import clock_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsense.match.read import OnProgress
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog
    from logsense.model.live import Ended, Live
    from logsense.model.reading import Incident
    from logsense.model.report import Coverage, Diagnosis, Report
    from logsense.sources.find import Source

    # Asked once, and only where there is something to explain.
    Look = Callable[[], Live | None]
    Told = Callable[[], object]

# The first lines of a log, which tell when the run began.
HEAD_BYTES = 4096
SIGNALLED = 128  # what a shell adds to the number of the signal that ended a command
LAST_SIGNAL = 31


def explain(
    sources: Sequence[Source],
    catalog: Catalog,
    *,
    ended: Ended | None = None,
    look: Look | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """The report on `sources`, the logs of one job.

    `ended` says how its process ended, where that is known; `look()` gives what is known of the machine.
    `on_progress(done, total)` is told the bytes read so far and, where known, in all. Raises InputError where a source
    can't be read.
    """
    return explain_scans(scan_sources(sources, catalog, on_progress), catalog, look, ended)


def advise(cause: str, catalog: Catalog, live: Live | None = None) -> Diagnosis | None:
    """What is to be done about a cause that was found without a log, with what the machine shows filled in."""
    from logsense.advise.by_cause import advise as advise_on

    return advise_on(cause, catalog, live)


def explain_text(
    text: bytes, catalog: Catalog, *, name: str = "input", ended: Ended | None = None, look: Look | None = None
) -> Report:
    """The report on a log that is at hand as bytes."""
    return explain_scans([scan_text(text, catalog, name)], catalog, look, ended)


class Stream:
    """Explains bytes that come in bit by bit: `feed` them, then ask for the report with `finish`.

    The report is the same as on a file of these bytes: the first megabyte is kept until it is known whether there is
    more, which `on_large` is told.
    """

    def __init__(self, catalog: Catalog, *, name: str = "standard input", on_large: Told | None = None) -> None:
        from logsense.sources.stream import StreamedText

        self._on_large = on_large
        self._catalog, self._name, self._fed = catalog, name, StreamedText()
        self._begin: list[bytes] = []
        self._size = 0
        self._scanner: Scanner | None = None

    def feed(self, data: bytes) -> None:
        """Take in the next bytes."""
        for text in self._fed.pieces(data):
            self._take(text)

    def finish(self, look: Look | None = None, ended: Ended | None = None) -> Report:
        """The report on everything that was fed, and on what `look()` gives of the machine."""
        self._take(self._fed.finish())
        if self._scanner is None:
            reading = scan_plain(b"".join(self._begin), self._fed.places, self._catalog, self._name)
        else:
            reading = self._scanner.finish()._replace(places=self._fed.places)
        return explain_scans([reading], self._catalog, look, ended=ended)

    def _take(self, text: bytes) -> None:
        self._size += len(text)
        if self._scanner is None:
            self._begin.append(text)
            if self._size <= SMALL_BYTES:
                return
            if self._on_large:
                self._on_large()
            engine = engine_for(self._catalog.literals, None, self._catalog.cache_folder)
            closely, one = over_wraps(engine), min(searchers(), 1)
            made = partial(records, places=self._fed.places)
            self._scanner = Scanner(self._catalog, engine, made, self._name, closely=closely, searchers=one)
            text, self._begin = b"".join(self._begin), []
        self._scanner.feed(text)


def incident_of(text: bytes, catalog: Catalog, *, name: str = "input") -> Incident:
    """What a log that is at hand as bytes tells of, before any cause is looked for."""
    reading = scan_text(text, catalog, name)
    return correlate([reading], source_ends([reading], catalog))


def explain_scans(
    readings: list[Reading], catalog: Catalog, look: Look | None = None, ended: Ended | None = None
) -> Report:
    """The report on what was read of the logs of one job."""
    readings, cells = _cells_apart(readings)
    tried = attempts(with_restarts(readings, catalog), attempt_of)
    told = _asked_about(tried, catalog)
    readings = in_time(of_this_job(tried.pop(told)))
    endings = source_ends(readings, catalog)
    runs = [last_run(*one, catalog) for one in zip(readings, endings, strict=True)]
    incident = correlate(readings, endings)
    failed = bool(ended and (ended.signal or ended.status))
    if not failed and not any(reading.parts for reading in readings):
        incident = without_caught(incident, [(run.source, run.caught) for run in runs])
    incident = _with_progress(incident, readings, catalog)
    if ended:
        incident = as_ended(incident, ended)
    live = look() if look and incident.outcome != "completed" else None
    if ended:
        live = _with_end(live, ended)
    incident, neighbors = _with_kernel(incident, live, catalog)
    logs = _coverage(readings, incident)
    if logs:
        incident = incident._replace(incomplete_ranks=frozenset((*logs.missing, *logs.empty, *logs.cut)))
    report = diagnose(incident, catalog, live)
    if not incident.machine_log and not failed:
        settled = settle(incident, readings, endings, runs, report, catalog, _ends_in_alarm)
        if settled is not incident:
            incident, report = settled, diagnose(settled, catalog, live)
    empty = not any(end.records for end in endings) and not report.diagnoses
    report = report._replace(logs=logs, empty=empty)
    if neighbors and not incident.machine_log:
        report = report._replace(noise=(*report.noise, *meanwhile(neighbors)))
    if (tried or cells) and report.diagnoses:
        from logsense.advise.other_failures import other_attempts

        report = report._replace(attempts=other_attempts(tried, cells, catalog))
    if not report.attempts and (incident.survived or len({finding.offset for finding in incident.failing}) > 1):
        from logsense.advise.other_failures import other_failures

        report = report._replace(attempts=other_failures(report, incident, readings, cells, catalog))
    if tried and not report.diagnoses:
        from logsense.advise.other_failures import failed_before

        report = report._replace(attempts=failed_before(tried, report.attempts, catalog))
    if not report.diagnoses and report.outcome != "completed":
        from logsense.advise.unknown import explain_unknown

        report = explain_unknown(report, incident, catalog)
    if report.outcome != "failed" and not report.diagnoses:
        report = report._replace(without_gpu=without_gpu(incident))
    return report


def _ends_in_alarm(incident: Incident) -> bool:
    from logsense.advise.unknown import ends_in_alarm

    return ends_in_alarm(incident)


def _cells_apart(readings: list[Reading]) -> tuple[list[Reading], list[Reading]]:
    """`readings` with the failures of one cell of each notebook, and a scan for each other cell that failed."""
    if not any(reading.parts for reading in readings):
        return readings, []
    from logsense.runs.cells import cells_apart

    apart = [cells_apart(reading) for reading in readings]
    return [told for told, _ in apart], [cell for _, cells in apart for cell in cells]


def _coverage(readings: list[Reading], incident: Incident) -> Coverage | None:
    if len(readings) < 2:
        return None
    from logsense.facts.coverage import coverage

    return coverage(readings, incident)


def _beginning(reading: Reading) -> bytes:
    """The first bytes of the last run in a log."""
    at = last_begin(reading) - reading.tail_offset
    return reading.tail[at : at + HEAD_BYTES] if reading.restarts and at >= 0 else reading.head[:HEAD_BYTES]


def _asked_about(tried: list[list[Reading]], catalog: Catalog) -> int:
    """The number of the last attempt that had made progress; a restart may fail of what the failure left behind."""
    if len(tried) > 1:
        for number in reversed(range(len(tried))):
            endings = source_ends(tried[number], catalog)
            begins = [last_begin(reading) for reading in tried[number]]
            ran = any(p.offset >= begin for one, begin in zip(endings, begins, strict=True) for p in one.progress)
            if ran and not _refused(tried[number]):
                if number < len(tried) - 1 and not correlate(tried[number], endings).failing:
                    break
                return number
            if number and any(f.signature.kind == "end" for reading in tried[number - 1] for f in reading.findings):
                break  # what went well has nothing to do with it
    return len(tried) - 1


def _refused(readings: list[Reading]) -> bool:
    """Whether the last failure is a refusal before anything ran: the progress in front of it is of another run."""
    failed = [finding for reading in readings for finding in reading.findings if finding.signature.kind == "failure"]
    return bool(failed) and "refusal" in failed[-1].signature.traits


def _with_kernel(incident: Incident, live: Live | None, catalog: Catalog) -> tuple[Incident, Sequence[Finding]]:
    """`incident` with what the kernel tells of this job behind what the log says, and what it tells of others."""
    if not (live and live.kernel_log and incident.lines):
        return incident, ()
    reading = scan_text(live.kernel_log, catalog, "kernel log")
    failed = [finding for finding in reading.findings if finding.signature.kind in FAILING]
    found, others = owned(failed, incident, live.own)
    if not found:
        return incident, others
    counts = dict(incident.counts)
    for finding in found:
        counts[finding.signature.id] = counts.get(finding.signature.id, 0) + 1
    incident = incident._replace(
        failing=(*incident.failing, *found),
        machine_log=reading.source,
        sources=(*incident.sources, reading.source),
        ends=(*incident.ends, SourceEnd()),
        starts=(*incident.starts, None),
        counts=counts,
    )
    return incident, others


def _with_end(live: Live | None, ended: Ended) -> Live:
    """`live` with how the job ended as facts, under the names that launchers' messages state them by."""
    code = -ended.signal if ended.signal else ended.status
    signal = ended.signal or (code - SIGNALLED if code and SIGNALLED < code <= SIGNALLED + LAST_SIGNAL else None)
    status = SIGNALLED + ended.signal if ended.signal else ended.status
    known = {"process.exit_code": code, "process.signal": signal, "exit.status": status}
    known |= {"ended.status": ended.status, "ended.signal": ended.signal}
    facts = {name: LiveFact(value, "the end of the process") for name, value in known.items() if value is not None}
    live = live or Live("")
    return live._replace(facts={**live.facts, **facts}, ended=ended)


def _with_progress(incident: Incident, readings: list[Reading], catalog: Catalog) -> Incident:
    """`incident` with when its run began, and with the progress in front of a failure that lies far from the end."""
    end = incident.failing[0] if incident.failing else None
    number = incident.order(end)[0] if end else 0
    if number >= len(readings):
        return incident
    reading, start = readings[number], incident.starts[number]
    first = [start.record] if start else records(_beginning(reading), source=reading.source, place=reading.place)
    began = {clock_of(time): time for record in reversed(first) if (time := record.prefix.time)}
    run_up: list[Finding] = []
    if end and end.offset < reading.tail_offset:
        lead = next((lead for lead in reversed(reading.texts_before) if lead.end <= end.offset), None)
        if lead:
            before = records(
                lead.text,
                source=reading.source,
                first_line=lead.line,
                offset=lead.offset,
                place=reading.place,
                places=reading.places,
            )
            run_up = [one for one in progress_in(catalog, before) if one.offset >= last_begin(reading)]
    return incident._replace(begin_times=tuple(began.values()), progress_before=tuple(run_up))
