"""Where the stages meet: what was read from the sources → runs → incident → causes → report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from logsense.advise.other_failures import other_failures
from logsense.advise.report import write_report
from logsense.diagnose.ownership import with_kernel_log
from logsense.diagnose.rank import rank_causes, ranked_again
from logsense.facts.coverage import coverage
from logsense.facts.process_end import with_end
from logsense.incident.alarms import with_alarms
from logsense.incident.as_ended import as_ended
from logsense.incident.asked import with_asked
from logsense.incident.incident import correlate
from logsense.incident.last_run import last_run, without_caught
from logsense.incident.signs import Signs
from logsense.incident.verdict import settle
from logsense.match.read import OnProgress, scan_sources, scan_text
from logsense.match.streamed import StreamReader
from logsense.model.knowledge import Catalog
from logsense.model.live import Ended, Live
from logsense.model.reading import Reading
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.runs.attempts import split_runs
from logsense.runs.run_up import with_run_up

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
    signs = Signs(catalog)
    job = with_asked(split_runs(readings), catalog, signs)
    runs = [last_run(reading, signs) for reading in job.asked]
    incident = correlate(job.asked, signs)
    incident = without_caught(incident, runs, ended)
    incident = as_ended(incident, ended, signs)
    incident = with_run_up(incident, job.asked, catalog)
    live = with_end(look() if look and incident.outcome != "completed" else None, ended)
    kernel_log = scan_text(live.kernel_log, catalog, "kernel log") if live and live.kernel_log else None
    incident, neighbors = with_kernel_log(incident, kernel_log, live)
    incident = with_alarms(incident._replace(logs=coverage(job.asked, incident)), signs)
    ranking = rank_causes(incident, catalog, live)
    incident = settle(incident, runs, ended, signs, confidence=ranking.confidence, anchor=ranking.anchor)
    ranking = ranked_again(ranking, incident, catalog, live)
    others = other_failures(ranking, job, catalog, signs)
    return write_report(ranking, catalog, signs, live=live, neighbors=neighbors, others=others)


class Stream:
    """Explains bytes that come in bit by bit: `feed` them, then get the report with `finish`.

    The report is the same as on a file of these bytes. `on_large` is called once there is more than a megabyte.
    """

    def __init__(
        self, catalog: Catalog, *, name: str = "standard input", on_large: Callable[[], object] | None = None
    ) -> None:
        self._catalog, self._reader = catalog, StreamReader(catalog, name, on_large)
        self.feed = self._reader.feed

    def finish(self, look: Look | None = None, ended: Ended | None = None) -> Report:
        """Return the report on everything that was fed, and on what `look()` returns of the machine."""
        return explain_readings([self._reader.finish()], self._catalog, look, ended)
