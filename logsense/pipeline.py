"""Where the stages meet: what was read from the sources → runs → incident → causes → report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from logsense.advise.other_failures import other_failures
from logsense.advise.report import write_report
from logsense.advise.unknown import ends_in_alarm, unknown_before
from logsense.diagnose.ownership import with_kernel_log
from logsense.diagnose.rank import rank_causes
from logsense.facts.coverage import coverage
from logsense.facts.process_end import with_end
from logsense.incident.beside import as_ended
from logsense.incident.caught import without_caught
from logsense.incident.held_output import in_order
from logsense.incident.incident import correlate
from logsense.incident.signs import Signs
from logsense.incident.verdict import is_whole, last_run, settle
from logsense.match.engines import engine_for
from logsense.match.read import (
    CLOSELY_BYTES,
    SMALL_BYTES,
    OnProgress,
    scan_plain,
    scan_sources,
    scan_text,
    searchers,
    source_ends,
)
from logsense.match.scanner import Scanner
from logsense.model.knowledge import Catalog
from logsense.model.live import Ended, Live
from logsense.model.reading import Reading
from logsense.model.report import Report
from logsense.records.records import records
from logsense.runs.attempts import Job, last_begin, split_runs
from logsense.runs.clocks import in_time, of_this_job
from logsense.runs.run_up import with_run_up
from logsense.sources.find import Source
from logsense.sources.stream import StreamedText

Look = Callable[[], Live | None]  # called once, and only if there is something to explain


def explain(
    sources: Sequence[Source],
    catalog: Catalog,
    *,
    ended: Ended | None = None,
    look: Look | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Return the report on `sources`, the logs of one job.

    `ended` says how its process ended, if that is known; `look()` returns what is known of the machine.
    `on_progress(done, total)` gets the bytes read so far and, if known, in all. Raises InputError if a source can't be
    read.
    """
    return explain_readings(scan_sources(sources, catalog, on_progress), catalog, look, ended)


def explain_text(
    text: bytes, catalog: Catalog, *, name: str = "input", ended: Ended | None = None, look: Look | None = None
) -> Report:
    """Return the report on a log that is given as bytes."""
    return explain_readings([scan_text(text, catalog, name)], catalog, look, ended)


def explain_readings(
    readings: list[Reading], catalog: Catalog, look: Look | None = None, ended: Ended | None = None
) -> Report:
    """Return the report on what was read of the logs of one job."""
    job = _with_asked(split_runs(readings), catalog)
    ends = source_ends(job.asked, catalog)
    ordered = [in_order(*one, catalog) for one in zip(job.asked, ends, strict=True)]
    job, ends = job._replace(asked=[reading for reading, _ in ordered]), [end for _, end in ordered]
    runs = [last_run(*one, catalog) for one in ordered]
    bad_end = bool(ended and (ended.signal or ended.status))
    incident = correlate(job.asked, ends, Signs(catalog))
    if not bad_end and not any(reading.parts for reading in job.asked):
        incident = without_caught(incident, [(run.source, run.caught) for run in runs])
    incident = with_run_up(incident, job.asked, catalog)
    incident = as_ended(incident, ended) if ended else incident
    live = look() if look and incident.outcome != "completed" else None
    live = with_end(live, ended) if ended else live
    kernel_log = scan_text(live.kernel_log, catalog, "kernel log") if live and live.kernel_log else None
    incident, neighbors = with_kernel_log(incident, kernel_log, live)
    logs = coverage(job.asked, incident)
    incident = incident._replace(incomplete_ranks=frozenset((*logs.missing, *logs.empty, *logs.cut) if logs else ()))
    ranking = rank_causes(incident, catalog, live)
    if not incident.machine_log and not bad_end:
        settled = settle(
            incident,
            job.asked,
            ends,
            runs,
            catalog,
            confidence=ranking.confidence,
            anchor=ranking.anchor,
            ends_in_alarm=ends_in_alarm,
        )
        ranking = ranking if settled is incident else rank_causes(settled, catalog, live)
    effect = ranking.first and ranking.first.argument.effect_only
    if effect and ranking.anchor and unknown_before(ranking.anchor, ranking.incident, Signs(catalog)):
        ranking = ranking._replace(causes=())  # the log does say why, in a line that nobody knows
    others = other_failures(ranking, job, catalog)
    empty = not ranking.causes and not any(end.records for end in ends)
    return write_report(ranking, catalog, live=live, logs=logs, neighbors=neighbors, others=others, empty=empty)


class Stream:
    """Explains bytes that come in bit by bit: `feed` them, then get the report with `finish`.

    The report is the same as on a file of these bytes: the first megabyte is kept until it is known whether there is
    more; then `on_large` is called.
    """

    def __init__(
        self, catalog: Catalog, *, name: str = "standard input", on_large: Callable[[], object] | None = None
    ) -> None:
        self._on_large = on_large
        self._catalog, self._name, self._text = catalog, name, StreamedText()
        self._begin: list[bytes] = []
        self._size = 0
        self._scanner: Scanner | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        for text in self._text.pieces(data):
            self._take(text)

    def finish(self, look: Look | None = None, ended: Ended | None = None) -> Report:
        """Return the report on everything that was fed, and on what `look()` returns of the machine."""
        self._take(self._text.finish())
        if self._scanner is None:
            reading = scan_plain(b"".join(self._begin), self._text.places, self._catalog, self._name)
        else:
            reading = self._scanner.finish()._replace(places=self._text.places)
        return explain_readings([reading], self._catalog, look, ended)

    def _take(self, text: bytes) -> None:
        self._size += len(text)
        if self._scanner is None:
            self._begin.append(text)
            if self._size <= SMALL_BYTES:
                return
            if self._on_large:
                self._on_large()
            engine = engine_for(self._catalog.literals, None, self._catalog.cache_folder)
            made, one = partial(records, places=self._text.places), min(searchers(), 1)
            self._scanner = Scanner(self._catalog, engine, made, self._name, closely_bytes=CLOSELY_BYTES, searchers=one)
            text, self._begin = b"".join(self._begin), []
        self._scanner.feed(text)


def _with_asked(job: Job, catalog: Catalog) -> Job:
    """Return `job` with the attempt that is asked about, its logs in order: the last attempt that made progress.

    A later one may only fail of what the failure left behind, unless that attempt went well. If it did not fail, and is
    long enough to judge, it began to work.
    """
    tried = [*job.others, job.asked]
    asked = len(tried) - 1
    signs = Signs(catalog)
    for number in reversed(range(len(tried) if job.others else 0)):
        ends = source_ends(tried[number], catalog)
        begins = map(last_begin, tried[number])
        of_run = [*zip(ends, begins, strict=True)]
        ran = any(p.offset >= begin for one, begin in of_run for p in one.progress)
        if ran and not _refused(tried[number]):
            asked = number if number == asked or correlate(tried[number], ends, signs).failing else asked
            break
        if number == asked and is_whole(of_run) and not correlate(tried[number], ends, signs).failing:
            break
        if number and any(f.signature.kind == "end" for reading in tried[number - 1] for f in reading.findings):
            break  # what went well has nothing to do with it
    return job._replace(asked=in_time(of_this_job(tried.pop(asked))), others=tried)


def _refused(readings: list[Reading]) -> bool:
    """Return whether the last failure is a refusal before anything ran: the progress before it is of another run."""
    failed = [finding for reading in readings for finding in reading.findings if finding.signature.kind == "failure"]
    return bool(failed) and "refusal" in failed[-1].signature.traits
