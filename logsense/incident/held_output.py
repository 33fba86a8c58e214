"""Move an exception that ended a program behind the output that was still in the program's buffer.

Standard error is written at once. Standard output to a file or pipe waits in a buffer, which Python writes at the exit:
https://docs.python.org/3/library/sys.html#sys.stdout
"""

from __future__ import annotations

from collections.abc import Sequence

from logsense.incident.judge import features
from logsense.incident.ledger import is_uncaught, ledger
from logsense.incident.signs import Signs
from logsense.model.reading import Reading, SourceEnd
from logsense.model.record import Record
from logsense.records.fingerprint import is_bar, shape
from logsense.runs.failures import failures_in
from logsense.util.regexes import Lazy

HELD_BYTES = 2 * 8192  # one buffer of text and one of bytes
MAIN = ("<module>", "_run_module_as_main")
_IMPORT = Lazy(r"(?m)^\s+(?:import|from) \w")
ENDS = ("good", "totals", "saved", "whole")


def in_order(reading: Reading, signs: Signs) -> Reading:
    """Return a log as it would be without buffering."""
    failing, end = failures_in(reading.findings), reading.end
    if not failing or not end or reading.parts:
        return reading
    record = failing[-1].record
    if not _waited(reading, end, record, signs) and not _is_above_its_output(end, record, signs):
        return reading
    last = record._replace(offset=reading.size, end=reading.size + record.end - record.offset)
    findings = [one for one in reading.findings if one.offset != record.offset]
    findings += [one._replace(record=last) for one in reading.findings if one.offset == record.offset]
    records = [one for one in end.records if one.offset != record.offset]
    return reading._replace(findings=findings, end=end._replace(records=(*records, last)))


def _waited(reading: Reading, end: SourceEnd, record: Record, signs: Signs) -> bool:
    """Return whether all that follows the exception of `record` was printed before it."""
    if not _ends_its_program(record) or not 0 < reading.size - record.end <= HELD_BYTES:
        return False
    before = [one for one in end.records if one.offset < record.offset]
    # Bars are drawn on standard error.
    after = [one for one in end.records if one.offset > record.offset and not is_bar(one.text.encode())]
    reports = [one for one in end.progress if one.offset > record.offset]
    if any(one.offset > record.offset for one in reading.findings if one.signature.kind in ("start", "end")):
        return False
    if any(one.prefix.time for one in after) or _shapes(before) & _shapes(after):
        return False
    if any(one.offset < record.offset and not is_bar(one.text.encode()) for one in end.progress):
        return False
    said = features(ledger(after, [], reports, signs), reports, signs, cut=False)
    return bool(after) and not any(said[name] for name in (*ENDS, "stop", "status"))


def _ends_its_program(record: Record) -> bool:
    """Return whether the exception left the main module, other than in an import."""
    outermost = record.raised.frames[0].function if record.raised and record.raised.frames else ""
    return outermost in MAIN and is_uncaught(record) and not _IMPORT.search(record.text)


def _is_above_its_output(end: SourceEnd, record: Record, signs: Signs) -> bool:
    """Return whether a batch system says how the job ended, and then that its output follows."""
    return any(signs.says("output-below", one.text) for one in end.records if one.offset > record.offset)


def _shapes(records: Sequence[Record]) -> set[bytes]:
    return {shape(one.text.partition("\n")[0]) for one in records if not is_bar(one.text.encode())}
