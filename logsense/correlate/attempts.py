"""Tells the last attempt at a job from those before it: restarts in one log, logs with a folder for each attempt."""

from __future__ import annotations

from itertools import pairwise

from logsense.correlate.runs import run_begins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsense.model.scan import Scan

# Of a job that was started again and again, so many attempts before the last are looked at.
MOST = 8


def attempts(scans: Sequence[Scan], attempt_of: Callable[[str], int | None]) -> list[list[Scan]]:
    """What is known of each attempt, oldest first.

    `attempt_of` says which attempt a log of this name is for, where its name says so; one of no attempt is of the last.
    A log that holds several runs stays whole in the last attempt: what came before is looked at there, too.
    """
    numbers = {scan.source: attempt_of(scan.source) for scan in scans}
    last = max((number for number in numbers.values() if number is not None), default=0)
    newest = [scan for scan in scans if numbers[scan.source] in (None, last)]
    earlier: dict[int, list[Scan]] = {}
    for scan in scans:
        number = numbers[scan.source]
        if number is not None and number != last:
            earlier.setdefault(number - last, []).append(scan)
    if not earlier:
        for scan in newest:
            for back, run in enumerate(runs_before(scan), 1):
                earlier.setdefault(-back, []).append(run)
    return [*(earlier[number] for number in sorted(earlier)[-MOST:]), newest]


def runs_before(scan: Scan) -> list[Scan]:
    """The runs in a log before its last one, latest first, each with what is known of its end."""
    begins = [0, *run_begins(scan)]
    runs: list[Scan] = []
    for first, behind in reversed(list(pairwise(begins))[-MOST:]):
        begin, end = (begin_of(scan, number) for number in (first, behind))
        run = _part(scan, begin, end)._replace(lines=scan.findings[behind].line - 1, restarts=())
        runs.append(run._replace(findings=scan.findings[first:behind]))
    return runs


def begin_of(scan: Scan, number: int) -> int:
    """The offset at which the run begins whose first finding is that of this number."""
    if number == 0:
        first = scan.findings[0].offset if scan.findings else 0
        return next((restart for restart in reversed(scan.restarts) if restart <= first), 0)
    before, first = scan.findings[number - 1].offset, scan.findings[number].offset
    return next((restart for restart in scan.restarts if before < restart <= first), first)


def last_begin(scan: Scan) -> int:
    """The offset at which the last run in a log begins."""
    return begin_of(scan, next(reversed(run_begins(scan)), 0))


def _part(scan: Scan, begin: int, end: int) -> Scan:
    """`scan` with the end of what stands from `begin` up to `end`, or else with what stands before its last failure."""
    scan = scan._replace(glance=None)
    at = max(begin, scan.tail_offset)
    if at < end:
        before, text = scan.tail[: at - scan.tail_offset], scan.tail[at - scan.tail_offset : end - scan.tail_offset]
        line = scan.tail_line + before.count(b"\n")
        return scan._replace(tail=text, tail_offset=at, tail_line=line, head=text if begin else scan.head)
    lead = next((lead for lead in reversed(scan.leads) if begin <= lead.offset and lead.end <= end), None)
    if lead is None:
        return scan._replace(tail=b"", tail_offset=end)
    return scan._replace(tail=lead.text, tail_offset=lead.offset, tail_line=lead.line)
