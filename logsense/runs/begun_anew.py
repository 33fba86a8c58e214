"""Looks for the places where a job began anew only in logs that may have some: most have nothing behind a failure."""

from __future__ import annotations

from logsense.match.read import CLOSELY
from logsense.model.knowledge import Catalog
from logsense.model.reading import FAILING, Reading

RESTART_LINES = 4  # what is started anew prints so many lines at least
TWICE_LINES = 40  # a log of two runs, of which the first went well, has more lines
LEAST_OPENING = 12  # of a line that begins a log, without its digits
_NO_DIGITS = bytes(0 if 48 <= one <= 57 else one for one in range(256))


def begun_anew(readings: list[Reading], catalog: Catalog) -> list[Reading]:
    """`readings` with the places where the job began anew; mostly nothing was printed behind its failure."""
    looked = []
    for reading in readings:
        first = next((finding for finding in reading.findings if finding.signature.kind in FAILING), None)
        if first is not None and (first.record.lines[-1] + RESTART_LINES <= reading.lines or _opens_again(reading)):
            from logsense.runs.opening_again import with_restarts

            reading = with_restarts(reading, catalog, closely=len(readings) <= CLOSELY)
        looked.append(reading)
    return looked


def _opens_again(reading: Reading) -> bool:
    """Whether the first line of a log may come again further down."""
    if reading.lines <= TWICE_LINES:
        return False
    line = reading.head.partition(b"\n")[0]
    constant = max(line.rstrip().translate(_NO_DIGITS).split(b"\0"), key=len)
    return len(constant) >= LEAST_OPENING and reading.tail.find(constant, max(0, len(line) - reading.tail_offset)) >= 0
