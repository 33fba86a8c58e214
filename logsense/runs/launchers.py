"""Finds where each of several runs in one log begins."""

from __future__ import annotations

from logsense.model.finding import Finding
from logsense.model.reading import FAILING, Reading
from logsense.util.times import clock_of, is_before

# After a launcher's closing message so many lines on, a failure belongs to another run.
LINES_AFTER_END = 300
# What is announced so near to the end of a log, with nothing behind it, closes the run and begins no other.
LINES_OF_EPILOG = 20


def run_begins(reading: Reading) -> list[int]:
    """Return the numbers of the findings with which later runs begin: a start after the end of a run, or the first
    finding after a restart.
    """
    begins: list[int] = []
    over = failed = False
    refused: str | None = None
    closed_at: int | None = None
    ended_at: str | None = None  # when the run failed or ended
    restarts = [*reading.restarts]
    for number, finding in enumerate(reading.findings):
        kind = finding.signature.kind
        anew = False
        while restarts and restarts[0] <= finding.offset:
            restarts.pop(0)
            anew = number > 0
        if kind == "start":
            if failed and (_is_epilog(reading, number) or _is_earlier(finding, ended_at)):
                continue
            if over or anew:
                begins.append(number)
            over, failed, closed_at = False, False, None
            continue
        if anew:
            begins.append(number)
            over, failed, closed_at = False, False, None
        if "refusal" in finding.signature.traits:
            # A program that refuses another thing than before was called anew with other arguments.
            said = _said(finding)
            if refused not in (None, said) and begins[-1:] != [number]:
                begins.append(number)
            refused = said
        if kind in FAILING or kind == "end":
            if closed_at is not None and kind != "end" and finding.line - closed_at > LINES_AFTER_END:
                begins.append(number)
                closed_at = None
            over, failed = True, kind != "end"
            ended_at = finding.record.prefix.time or ended_at
            closed_at = finding.line if finding.signature.ends_run else closed_at
    return begins


def _is_earlier(start: Finding, ended_at: str | None) -> bool:
    """Return whether `start` came before a run ended that is above it: then it is another node's, printed later."""
    began_at = start.record.prefix.time
    if began_at is None or ended_at is None or clock_of(began_at) == "clock":
        return False
    return is_before(began_at, ended_at)


def _said(finding: Finding) -> str:
    """Return the line of `finding`, without the numbers in which ranks differ."""
    return "".join(one for one in finding.record.text_at(finding.at) if not one.isdigit())


def _is_epilog(reading: Reading, number: int) -> bool:
    """Return whether the start is one of the last lines, followed only by how the job ended."""
    near = reading.lines - reading.findings[number].line < LINES_OF_EPILOG
    behind = [one.signature for one in reading.findings[number:]]
    return near and all(one.kind in ("start", "fact", "noise") or one.ends_run for one in behind)
