"""Tells the last attempt at a job from those before it: restarts in one log, logs with a folder for each attempt."""

from __future__ import annotations

from itertools import pairwise

from logsense.correlate.incident import run_begins

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
    """The runs in a log before its last one, latest first; where they end, nothing but findings is known."""
    begins = [0, *run_begins(scan)]
    runs: list[Scan] = []
    for first, behind in reversed(list(pairwise(begins))[-MOST:]):
        next_one = scan.findings[behind]
        findings = scan.findings[first:behind]
        runs.append(scan._replace(findings=findings, lines=next_one.line - 1, tail=b"", tail_offset=next_one.offset))
    return runs
