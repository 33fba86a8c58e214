"""Find where a job was started again in one log that does not say so: by first lines and tracebacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logsense.model.finding import Finding
from logsense.model.reading import FAILING, Reading
from logsense.model.record import Record
from logsense.records.fingerprint import fingerprint, is_bar, is_message
from logsense.records.records import records
from logsense.runs.edited_script import edited_runs
from logsense.runs.failures import failures_in
from logsense.util.noun import NamedTuple

BEHIND_BYTES = 48 << 10  # after a failure, in which a new start is looked for
MOST_FAILURES = 100
# What is started anew prints so many lines at least.
LEAST_LINES = 3
# The first lines of a run; so many of them in a row, printed again, are its start.
FIRST_LINES = 12
ROW = 3
MOST_LINES = 40  # in which these are, among lines that workers repeat
OPENING_BYTES = 4096
LEAST_BYTES = 8  # of what can be searched for in a line


class Row(NamedTuple):
    """Lines in a row: where the first begins, what each has in common with its like, and what stands in the first."""

    offset: int
    marks: tuple[bytes, ...]
    constant: bytes


def with_restarts(readings: Sequence[Reading]) -> list[Reading]:
    """Return `readings` with the places where the job started again without a message that says so."""
    return [_with_restarts(one) if _has_more(one) else one for one in readings]


def _has_more(reading: Reading) -> bool:
    """Return whether anything was printed after the first failure; in most logs nothing was."""
    first = next((finding for finding in reading.findings if finding.signature.kind in FAILING), None)
    return first is not None and reading.lines - first.record.lines[-1] > LEAST_LINES


def _with_restarts(reading: Reading) -> Reading:
    failing = list({finding.offset: finding for finding in failures_in(reading.findings)}.values())  # one a record
    if not failing:
        return reading
    opening = _opening(reading.head.cut(0, min(OPENING_BYTES, failing[0].offset)).text)
    found = [*edited_runs(failing)]
    for last, until in _failures(failing, reading):
        raised = _raised_end(last.record, reading)
        at = _printed_again(opening, reading.head.text, _text(reading, raised, min(until, raised + BEHIND_BYTES)))
        if at is not None:
            found.append(raised + at)
    return reading._replace(restarts=tuple(sorted(found))) if found else reading


def _failures(failing: Sequence[Finding], reading: Reading) -> Iterator[tuple[Finding, int]]:
    """Yield the failures that are followed by more than belongs to them, each with the offset of the next."""
    kept = (
        failing if len(failing) <= MOST_FAILURES else [*failing[: MOST_FAILURES // 2], *failing[-MOST_FAILURES // 2 :]]
    )
    for number, finding in enumerate(kept):
        after = kept[number + 1] if number + 1 < len(kept) else None
        if (after.line if after else reading.lines + 1) - _raised_line(finding.record) > LEAST_LINES:
            yield finding, after.offset if after else reading.size


def _raised_line(record: Record) -> int:
    """Return the line of the exception that a record ends with, or the record's last line."""
    if record.raised is None or not record.raised.type:
        return record.lines[-1]
    each = list(zip(record.text.split("\n"), record.lines, strict=False))
    return next((line for text, line in reversed(each) if text.startswith(record.raised.type)), record.lines[-1])


def _raised_end(record: Record, reading: Reading) -> int:
    """Return the offset after the line of the exception that a record ends with."""
    line = _raised_line(record)
    if line == record.lines[-1]:
        return record.end
    lines = _text(reading, record.offset, record.end).split(b"\n")[: line - record.line + 1]
    return min(record.offset + sum(len(one) + 1 for one in lines), record.end)


def _text(reading: Reading, begin: int, end: int) -> bytes:
    """Return the source from `begin` to `end`, as far as its tail or the text before a failure holds it; b"" if
    unknown.
    """
    parts = (reading.tail, reading.head, *reading.texts_before)
    return next((part.cut(begin, end).text for part in parts if part.offset <= begin < part.end), b"")


def _opening(head: bytes) -> list[Row]:
    """Return rows of lines that begin a run: lines that say something, each of its own kind, and not of progress."""
    different = {fingerprint(line): (at, line) for at, line in reversed([*_said(head)])}  # workers print the same lines
    said = [(at, line, mark) for mark, (at, line) in reversed(different.items())]
    rows = []
    for first in range(min(len(said), FIRST_LINES) - ROW + 1):
        at, line, _ = said[first]
        marks, constant = tuple(mark for _, _, mark in said[first : first + ROW]), _constant(line)
        if constant and len({*marks}) == ROW:
            rows.append(Row(at, marks, constant))
    return rows


def _printed_again(opening: Sequence[Row], head: bytes, behind: bytes) -> int | None:
    """Return where in `behind` lines of the opening are printed again, some of them in a row; None where they are not.

    Lines of another rank are no second start: that rank is only late.
    """
    lines: list[bytes] = []
    for row in opening:
        if row.constant not in behind:
            continue
        lines = lines or behind.split(b"\n")
        at = 0
        for number, line in enumerate(lines):
            if row.constant in line:
                following = dict.fromkeys(
                    fingerprint(one) for one in lines[number : number + MOST_LINES] if one.strip()
                )
                if row.marks == tuple(following)[:ROW]:
                    return at if _rank_at(head, row.offset) == _rank_at(behind, at) else None
            at += len(line) + 1
    return None


def _rank_at(text: bytes, offset: int) -> int | None:
    begin = text.rfind(b"\n", 0, max(0, offset - OPENING_BYTES)) + 1
    found = records(text[begin : offset + OPENING_BYTES], source="", offset=begin)
    return next((one.prefix.rank for one in found if one.offset <= offset < one.end), None)


def _constant(line: bytes) -> bytes | None:
    """Return the longest piece of a line without digits; None if it is short."""
    pieces = "".join(chr(one) if not 48 <= one <= 57 else "\0" for one in line).split("\0")
    longest = max(pieces, key=len).encode("latin-1")
    return longest if len(longest) >= LEAST_BYTES else None


def _said(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of `text` that say something, each with its offset, without progress bars."""
    at = 0
    for line in text.split(b"\n"):
        if line.strip() and is_message(line) and not is_bar(line):
            yield at, line
        at += len(line) + 1
