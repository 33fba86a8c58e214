"""Finds where a job was started anew in one log that does not say so: its first lines come again, its steps go back,
its lines come from another process, it begins to speak as at first after a long silence, or its tracebacks show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logsense.match.progress import progress_in
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Reading
from logsense.model.record import Record
from logsense.records.fingerprint import fingerprint, is_bar, is_message
from logsense.records.records import records
from logsense.runs.edited_script import edited_runs
from logsense.runs.failures import failures_in
from logsense.util.noun import NamedTuple
from logsense.util.times import seconds_between

# Behind a failure so much is looked at for a new start, and so much in front of it for how far the run had come.
BEHIND_BYTES = 48 << 10
BEFORE_BYTES = 24 << 10
MOST_FAILURES = 24
# What is started anew prints so many lines at least.
LEAST_LINES = 3
# The first lines of a run; so many of them in a row, printed again, are its start.
FIRST_LINES = 12
ROW = 3
OPENING_BYTES = 4096
LEAST_BYTES = 8  # of what can be searched for in a line
# After so long a silence one of the first lines, and nothing that is said all the time, proves a start.
SILENCE_S = 600.0
ERRORS = ("ERROR", "CRITICAL", "FATAL")
LINES_OF_START = 40


class Row(NamedTuple):
    """Lines in a row: where the first begins, what each has in common with its like, and what stands in the first."""

    offset: int
    marks: tuple[bytes, ...]
    constant: bytes


def with_restarts(reading: Reading, catalog: Catalog, *, closely: bool = True) -> Reading:
    """`reading` with the places where the job began anew without a message that says so.

    Steps and processes are compared only where it is looked at `closely`.
    """
    failing = failures_in(reading.findings)
    if not failing:
        return reading
    opening = _opening(reading.head[: min(OPENING_BYTES, failing[0].offset)])
    found = [*edited_runs(failing), *_began_later(opening, failing[0], reading)]
    for last, until in _failures(failing, reading):
        raised = _raised_end(last.record, reading)
        at = _printed_again(opening, reading.head, _text(reading, raised, min(until, raised + BEHIND_BYTES)))
        if at is not None:
            found.append(raised + at)
            continue
        behind = _text(reading, last.record.end, min(until, last.record.end + BEHIND_BYTES))
        if behind and closely and (_goes_back(last, behind, reading, catalog) or _other_process(last, behind, reading)):
            at = 0
        if at is None and behind and closely:
            at = _after_silence(last, behind, reading)
        if at is not None:
            found.append(last.record.end + at)
    return reading._replace(restarts=tuple(sorted(found))) if found else reading


def _failures(failing: Sequence[Finding], reading: Reading) -> Iterator[tuple[Finding, int]]:
    """The failures behind which more was printed than belongs to them, each with the offset of the next."""
    kept = (
        failing if len(failing) <= MOST_FAILURES else [*failing[: MOST_FAILURES // 2], *failing[-MOST_FAILURES // 2 :]]
    )
    for number, finding in enumerate(kept):
        after = kept[number + 1] if number + 1 < len(kept) else None
        if (after.line if after else reading.lines + 1) - _raised_line(finding.record) > LEAST_LINES:
            yield finding, after.offset if after else reading.size


def _raised_line(record: Record) -> int:
    """The line of the exception that a record ends with, else its last; what follows may only be joined to it."""
    if record.raised is None or not record.raised.type:
        return record.lines[-1]
    each = list(zip(record.text.split("\n"), record.lines, strict=False))
    return next((line for text, line in reversed(each) if text.startswith(record.raised.type)), record.lines[-1])


def _raised_end(record: Record, reading: Reading) -> int:
    """The offset behind the line of the exception that a record ends with."""
    line = _raised_line(record)
    if line == record.lines[-1]:
        return record.end
    lines = _text(reading, record.offset, record.end).split(b"\n")[: line - record.line + 1]
    return min(record.offset + sum(len(one) + 1 for one in lines), record.end)


def _text(reading: Reading, begin: int, end: int) -> bytes:
    """The source from `begin` up to `end`, of its tail, or of what stands in front of a failure; b"" if unknown."""
    pieces = [
        (reading.tail_offset, reading.tail),
        (0, reading.head),
        *((lead.offset, lead.text) for lead in reading.texts_before),
    ]
    for offset, text in pieces:
        if offset <= begin < offset + len(text):
            return text[begin - offset : end - offset]
    return b""


def _opening(head: bytes) -> list[Row]:
    """Some lines in a row that begin a run: lines that say something, each of its own kind, and not of progress."""
    said = [(at, line, fingerprint(line)) for at, line in _said(head)]
    rows = []
    for first in range(min(len(said), FIRST_LINES) - ROW + 1):
        at, line, _ = said[first]
        marks, constant = tuple(mark for _, _, mark in said[first : first + ROW]), _constant(line)
        if constant and len({*marks}) == ROW:
            rows.append(Row(at, marks, constant))
    return rows


def _printed_again(opening: Sequence[Row], head: bytes, behind: bytes) -> int | None:
    """Where in `behind` lines of the opening are printed again, some of them in a row; None where they are not.

    Lines of another rank are no second start: that rank is only late.
    """
    row, at = next(_printings(opening, behind), (None, 0))
    return at if row and _rank_at(head, row.offset) == _rank_at(behind, at) else None


def _printings(opening: Sequence[Row], behind: bytes) -> Iterator[tuple[Row, int]]:
    """The lines of the opening that are printed again in `behind`, with where they are, by whatever rank."""
    lines: list[bytes] = []
    for row in opening:
        if row.constant not in behind:
            continue
        lines = lines or behind.split(b"\n")
        at = 0
        for number, line in enumerate(lines):
            if row.constant in line:
                following = [one for one in lines[number : number + 3 * ROW] if one.strip()][:ROW]
                if row.marks == tuple(map(fingerprint, following)):
                    yield row, at
            at += len(line) + 1


def _began_later(opening: Sequence[Row], first: Finding, reading: Reading) -> Iterator[int]:
    """Where a run begins though the one before it did not fail: the log's first lines come again, a long time after."""
    end = first.record.offset
    begin = _known_from(reading, max(0, end - BEHIND_BYTES), end)
    begin = max(begin, opening[-1].offset + 1) if opening else end
    text = _text(reading, begin, end) if begin < end else b""
    began = _time_at(reading.head, opening[0].offset) if text else None
    for row, at in _printings(opening[:1], text):
        time = _time_at(text, at)
        after_s = seconds_between(began, time) if began and time else None
        if after_s and after_s >= SILENCE_S and _rank_at(reading.head, row.offset) == _rank_at(text, at):
            yield begin + at
        began = time or began  # what comes again and again is no beginning


def _time_at(text: bytes, offset: int) -> str | None:
    """The time in front of the line at `offset`."""
    end = text.find(b"\n", offset)
    found = records(text[offset : end + 1 if end >= 0 else None], source="", offset=offset)
    return next((one.prefix.time for one in found), None)


def _rank_at(text: bytes, offset: int) -> int | None:
    begin = text.rfind(b"\n", 0, max(0, offset - OPENING_BYTES)) + 1
    found = records(text[begin : offset + OPENING_BYTES], source="", offset=begin)
    return next((one.prefix.rank for one in found if one.offset <= offset < one.end), None)


def _constant(line: bytes) -> bytes | None:
    """The longest piece of a line that has no digits; None where that is short."""
    pieces = "".join(chr(one) if not 48 <= one <= 57 else "\0" for one in line).split("\0")
    longest = max(pieces, key=len).encode("latin-1")
    return longest if len(longest) >= LEAST_BYTES else None


def _goes_back(last: Finding, behind: bytes, reading: Reading, catalog: Catalog) -> bool:
    """Whether the run counted on from an earlier step than it had come to, though it does not do so by itself."""
    begin = max(0, last.offset - BEFORE_BYTES)
    before = _places(_text(reading, _known_from(reading, begin, last.offset), last.offset), last, catalog)
    after = _places(behind, last, catalog)
    if not before or not after or before != sorted(before):
        return False
    return after[0] < before[-1] or (after[0] == before[-1] == min(after) and len(after) > 1)


def _known_from(reading: Reading, begin: int, end: int) -> int:
    """`begin`, or the first place behind it from which the text up to `end` is known."""
    starts = [reading.tail_offset, 0, *(lead.offset for lead in reading.texts_before)]
    return max(begin, min((start for start in starts if begin <= start < end), default=begin))


def _places(text: bytes, last: Finding, catalog: Catalog) -> list[tuple[float, float]]:
    """How far the run was, as epoch and step, by the reports of the rank that failed."""
    found = []
    for finding in progress_in(catalog, records(text, source=last.record.source)):
        epoch, step = finding.captures.get("epoch"), finding.captures.get("step")
        if isinstance(step, int) and finding.rank in (None, last.rank):
            found.append((float(epoch) if isinstance(epoch, (int, float)) else -1.0, float(step)))
    return found


def _other_process(last: Finding, behind: bytes, reading: Reading) -> bool:
    """Whether all lines behind the failure come from another process than all those before it."""
    begin = max(0, last.offset - BEFORE_BYTES)
    text = _text(reading, _known_from(reading, begin, last.offset), last.offset)
    before, after = _processes(text, last), _processes(behind, last)
    return len(before) == len(after) == 1 and before != after


def _after_silence(last: Finding, behind: bytes, reading: Reading) -> int | None:
    """Where in `behind` a line of the opening is printed again after a long silence; None where none is."""
    begin = _known_from(reading, max(0, last.offset - BEFORE_BYTES), last.offset)
    before = _text(reading, begin, last.record.end)
    times = [one.prefix.time for one in records(before, source=last.record.source) if one.prefix.time]
    if not times:
        return None
    at = _silence(times[-1], records(behind, source=last.record.source))
    if at is None:
        return None
    opening = [(place, line) for place, line in _said(reading.head[:OPENING_BYTES]) if place < last.offset][
        :FIRST_LINES
    ]
    first = {fingerprint(line) for _, line in opening if _constant(line)}
    usual = {fingerprint(line) for place, line in _said(before) if begin + place > opening[-1][0]} if opening else set()
    again = {fingerprint(line) for line in behind[at:].split(b"\n")[:LINES_OF_START]}
    return at if again & (first - usual) else None


def _silence(time: str, said: Sequence[Record]) -> int | None:
    """Where the first of `said` begins that was printed long after the one before it, the first long after `time`."""
    for record in said:
        if record.prefix.time:
            passed = seconds_between(time, record.prefix.time)
            if passed is None or passed >= SILENCE_S:
                return None if passed is None else record.offset
            time = record.prefix.time
    return None


def _said(text: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of `text` that say something, each with its offset, without progress bars."""
    at = 0
    for line in text.split(b"\n"):
        if line.strip() and is_message(line) and not is_bar(line):
            yield at, line
        at += len(line) + 1


def _processes(text: bytes, last: Finding) -> set[int]:
    """The processes that `text` is of; none where few lines tell, or only of errors: a job begins with other words."""
    said: list[Record] = records(text, source=last.record.source)
    told = [one.prefix for one in said if one.prefix.pid is not None and one.prefix.rank in (None, last.rank)]
    works = any(one.level not in ERRORS for one in told)
    return {one.pid for one in told if one.pid is not None} if len(told) >= ROW and works else set()
