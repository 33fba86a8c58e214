"""Brings the logs of one job together by their clocks: which failed first, and which speak of another time."""

from __future__ import annotations

from logsense.model.moments import moment_in_year
from logsense.model.scan import FAILING
from logsense.parse.records import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsense.model.finding import Finding
    from logsense.model.scan import Scan

HEAD_BYTES = 4096  # the first lines of a log, which tell when the run began
HEADS = 16  # so many logs tell when the job began
# Clocks of one job may be set to different zones; what is farther apart than they can be is of another day.
ZONES_S = 15 * 3600
HALF_A_YEAR_S = 183 * 86_400


def in_time(scans: list[Scan]) -> list[Scan]:
    """`scans` with those first whose failures came first, where all of them carry a date; else in their own order."""
    if len(scans) < 2:
        return scans
    failed = {id(scan): _failed_at(scan) for scan in scans if _failures(scan)}
    if None in failed.values():
        return scans
    return sorted(scans, key=lambda scan: (0, failed[id(scan)]) if id(scan) in failed else (1, 0.0))


def of_this_job(scans: list[Scan]) -> list[Scan]:
    """`scans` without what a machine's own log says of the time before the job: it goes back for weeks.

    Beside logs that name their rank, all others may be of machines.
    """
    ranks = any(scan.place[0] is not None for scan in scans)
    machines = [scan for scan in scans if scan.place[1] or (ranks and scan.place[0] is None)]
    began = _began([scan for scan in scans if scan not in machines]) if machines else None
    if began is None:
        return scans
    return [
        scan._replace(findings=[finding for finding in scan.findings if not _is_before(finding, began)])
        if scan in machines
        else scan
        for scan in scans
    ]


def _began(scans: Sequence[Scan]) -> float | None:
    times = [moment for scan in scans[:HEADS] for moment in _moments(scan.head[:HEAD_BYTES], scan.source)]
    return min(times, default=None)


def _is_before(finding: Finding, began: float) -> bool:
    printed = finding.record.prefix.time
    moment = moment_in_year(printed) if printed else None
    return moment is not None and ZONES_S < began - moment < HALF_A_YEAR_S


def _failures(scan: Scan) -> list[Finding]:
    return [finding for finding in scan.findings if finding.signature.kind in FAILING]


def _failed_at(scan: Scan) -> float | None:
    """The moment of the first failure in a source: its own time, or the last one in front of it."""
    first = _failures(scan)[0]
    printed = first.record.prefix.time
    moment = moment_in_year(printed) if printed else None
    if moment is not None:
        return moment
    lead = next((lead for lead in scan.leads if lead.offset <= first.offset <= lead.end), None)
    if lead is None:
        return None
    begin = lead.text.find(b"\n", max(0, len(lead.text) - HEAD_BYTES)) + 1 if len(lead.text) > HEAD_BYTES else 0
    return next(reversed([*_moments(lead.text[begin:], scan.source)]), None)


def _moments(text: bytes, source: str) -> Iterator[float]:
    for record in records(text, source=source):
        moment = moment_in_year(record.prefix.time) if record.prefix.time else None
        if moment is not None:
            yield moment
