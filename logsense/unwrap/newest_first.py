"""Recognize logs whose newest entry comes first, and reverse them."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.model.line import Places
from logsense.model.source import Raw, Source
from logsense.util.regexes import LazyBytes
from logsense.util.times import is_before, is_decreasing

HEAD_BYTES = 16 << 10  # decide the order of a log
MOST_BYTES = 32 << 20  # a longer log is not reversed
_LEAST = 3  # times earlier than the one above; one is enough if tracebacks are upside down
_LAST_BYTES = 2 << 10  # of the head
_NEAR = 800  # bytes above and below a traceback's header that hold one line
_PREFIX_BYTES = 100  # a time after them does not belong to the line's prefix

_CLOCK = LazyBytes(rb"(?<![\d:.])\d\d:\d\d:\d\d(?![\d:])|(?m:^)1\d{9}\.\d{3}")
_STAMP = LazyBytes(
    rb"\d{4}[-/]\d\d[-/]\d\d[T ,]{1,2}\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    rb"|\d\d/\d\d/\d{2,4},? \d\d:\d\d:\d\d(?: [AP]M)?"
    rb"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]?\d(?:,? \d{4},?)? \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    rb"|^1\d{9}\.\d{3,9}"
    rb"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
)
_HEADER = b"Traceback (most recent call last)"
_FRAME = LazyBytes(rb'File "[^"\n]+", line \d+')


def is_newest_first(data: bytes, *, whole: bool = True) -> bool:
    """Return whether the times at the beginning of the lines of `data` decrease.

    A `whole` log without times counts as newest first if all its tracebacks are upside down.
    """
    head = data[:HEAD_BYTES]
    stamps = _stamped(head)
    first = next(stamps, None)
    if first and _ends_later(head, *first):
        return False
    stamped = [first, *stamps] if first else []
    if len(stamped) < 2:
        return whole and _upright(data) is False
    times = [time for _, time in stamped]
    if not is_before(times[-1], times[0]):
        return False
    upside_down = _upright(data) is False
    least = _LEAST if len(times) > _LEAST and not upside_down else 1
    if not is_decreasing(times, least):
        return False
    if len(data) > HEAD_BYTES:
        stamped = list(_stamped(data))
    if not upside_down and data[: stamped[0][0]].strip():
        return False
    # Times in the first lines only belong to a list of files or commits.
    if stamped[-1][0] * 2 < len(data) and not all(data[begin : begin + 1].isdigit() for begin, _ in stamped):
        return False
    return len(data) <= HEAD_BYTES or is_decreasing([time for _, time in stamped], least)


def _ends_later(head: bytes, at: int, time: str) -> bool:
    """Return whether the last time in `head` is not earlier than its first, `time` at offset `at`, as in most logs."""
    begin = head.find(b"\n", max(0, len(head) - _LAST_BYTES)) + 1
    last = list(_stamped(head[begin:]))[-1:]
    return bool(last) and at < begin + last[0][0] and not is_before(last[0][1], time)


def oldest_first(data: bytes, places: Places | None) -> tuple[bytes, Places]:
    """Return the entries of `data` in reverse order, and where people find each line.

    Lines without a time stay below the entry above them if tracebacks are upright; otherwise single lines are reversed.
    `places` are those of the lines of `data`.
    """
    oldest = bytearray()
    number = data.count(b"\n") + (not data.endswith(b"\n"))
    reversed_places = Places()
    for entry in _entries_upwards(data, _begins(data)):
        oldest += entry
        count = entry.count(b"\n")
        number -= count
        if places is None:
            reversed_places.add(number + 1, count)
            continue
        for line in range(number + 1, number + count + 1):
            reversed_places.add(places.number(line))
    del data  # one copy less in memory
    return bytes(oldest), reversed_places


def _stamped(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the offset of each line that begins with a time, and the time."""
    end = -1
    for clock in _CLOCK.finditer(data):
        if clock.start() <= end:
            continue
        begin = data.rfind(b"\n", 0, clock.start()) + 1
        stop = data.find(b"\n", clock.end())
        end = len(data) if stop < 0 else stop
        if clock.start() - begin > _PREFIX_BYTES:
            continue
        stamp = _STAMP.search(data[begin : clock.end() + 13])
        # A clock without a date may be a remaining time, unless it comes first.
        if stamp and (stamp[0][2:3] != b":" or not data[begin : begin + stamp.start()].strip(b" [(\"'")):
            yield begin, stamp[0].decode()


def _begins(data: bytes) -> list[int] | None:
    """Return where the entries of `data` begin; None if single lines are to be reversed."""
    upright = _upright(data)
    stamped = list(_stamped(data))
    if upright is None:
        upright = bool(stamped) and stamped[0][0] == 0 and len(stamped) < data.count(b"\n")
    if not upright:
        return None
    begins = [begin for at, (begin, time) in enumerate(stamped) if not at or time != stamped[at - 1][1]]
    return begins if begins[:1] == [0] else [0, *begins]


def _upright(data: bytes) -> bool | None:
    """Return whether the frames of tracebacks follow their headers; False if they precede them; None without any."""
    up = down = 0
    at = data.find(_HEADER)
    while at >= 0:
        begin, end = data.rfind(b"\n", max(0, at - _NEAR), at) + 1, data.find(b"\n", at, at + _NEAR)
        below = data[end + 1 : end + _NEAR].partition(b"\n")[0] if end >= 0 else b""
        above = data[max(0, begin - _NEAR) : begin].rpartition(b"\n")[0].rpartition(b"\n")[2]
        up += bool(_FRAME.search(below))
        down += bool(_FRAME.search(above))
        at = data.find(_HEADER, at + 1)
    return None if up == down else up > down


def _entries_upwards(data: bytes, begins: list[int] | None) -> Iterator[bytes]:
    """Yield the entries of `data` that begin at `begins`, or else its lines, the last one first."""
    end = len(data)
    while True:
        begin = begins.pop() if begins is not None else data.rfind(b"\n", 0, max(0, end - 1)) + 1
        entry = data[begin:end]
        yield entry if entry.endswith(b"\n") else entry + b"\n"
        if not begin:
            return
        end = begin


def read_oldest_first(begin: bytes, reader: Raw, source: Source, places: Places | None) -> tuple[bytes, Places | None]:
    """Return `begin` and the rest of `reader`, oldest entry first, and where people find each line.

    `places` are those of the lines as they are read. A log that is too large is returned unchanged, up to where it was
    read. Set a note on `source`.
    """
    data = bytearray(begin)
    buffer = bytearray(1 << 20)
    while len(data) <= MOST_BYTES and (count := reader.readinto(buffer)):
        data += memoryview(buffer)[:count]
    if len(data) > MOST_BYTES:
        source.note = f"the newest lines come first; logs of more than {MOST_BYTES >> 20} MiB are not reversed"
        return bytes(data), places
    source.note = source.note or "the newest lines come first; it was read from the end"
    whole = bytes(data)
    del data
    return oldest_first(whole, places)
