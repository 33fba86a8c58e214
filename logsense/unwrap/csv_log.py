"""CSV table: the message of each row of an exported log, after its time and level. A quoted field may span lines."""

from __future__ import annotations

from logsense.unwrap.shape import Line, LineStep

name = "CSV table"

LONGEST = 1 << 20  # bytes of a row; the lines of a longer one stay unchanged

_TIMES = ("timestamp", "time", "date", "_time")
_LEVELS = ("level", "severity")
_MESSAGES = ("message", "textpayload", "msg", "log", "content", "line", "_raw")
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


def begins(head: bytes) -> bool:
    """Return whether `head` starts with the names of a log's columns."""
    return _columns(head) is not None


def step(head: bytes) -> LineStep:
    """Return what unwraps a table with the columns in `head`."""
    rows = _Rows(*(_columns(head) or (0, 0, None)))
    return LineStep(rows.consume, rows.rest)


def _columns(head: bytes) -> tuple[int, int, int | None] | None:
    """Return the columns of the message, the time and the level; None if the first line does not name them."""
    first = head[:501].partition(b"\n")[0]
    if b"," not in first or len(first) > 500:
        return None
    # As in "@timestamp" and "kubernetes.pod.name".
    shown = first.decode("utf-8", "replace").strip("\ufeff\r ").split(",")
    names = [one.strip(' "').lower().lstrip("@").rpartition(".")[2] for one in shown]
    message, time, level = (
        next((names.index(one) for one in known if one in names), None) for known in (_MESSAGES, _TIMES, _LEVELS)
    )
    return None if message is None or time is None or len(names) > 20 else (message, time, level)


class _Rows:
    """Parse rows, whose fields are the message, the time and the level by these numbers."""

    def __init__(self, message: int, time: int, level: int | None) -> None:
        self._message_at, self._time, self._level = message, time, level
        self._lines: list[Line] = []  # of a row that is not complete
        self._size = self._quotes = 0

    def consume(self, line: Line) -> list[Line]:
        """Return the lines of the message in the row that `line` completes."""
        if line.number == 1:
            return []
        if not self._lines and b'"' not in line.text:
            return self._message(_text(line).split(","), [line])
        self._lines.append(line)
        self._size += len(line.text) + 1
        self._quotes += line.text.count(b'"')
        return [] if self._quotes % 2 and self._size <= LONGEST else self.rest()

    def rest(self) -> list[Line]:
        """Return the lines of the message in the row that is held back."""
        import csv

        lines, size = self._lines, self._size
        self._lines, self._size, self._quotes = [], 0, 0
        if size > LONGEST or not lines:
            return lines
        try:
            return self._message(next(csv.reader(_text(line) + "\n" for line in lines), []), lines)
        except csv.Error:
            return lines

    def _message(self, fields: list[str], lines: list[Line]) -> list[Line]:
        """Return the lines of the message among the `fields` of a row, or the row's `lines` if it has none."""
        if len(fields) <= self._message_at:
            return lines
        message = fields[self._message_at].rstrip("\n")
        texts = (self._prefix(fields) + message).encode().split(b"\n") if message else [b""]
        before = sum(field.count("\n") for field in fields[: self._message_at]) if len(lines) > 1 else 0
        first, last = lines[0].number + before, lines[-1].number
        return [Line(text, min(first + at, last)) for at, text in enumerate(texts)]

    def _prefix(self, fields: list[str]) -> str:
        level = _field(fields, self._level).upper()
        time = _dated(_field(fields, self._time))
        if not time[:4].isdigit() or not (level or ":" in time):
            return ""
        return f"{time} [{level}] " if level else f"{time} "


def _text(line: Line) -> str:
    return line.text.removesuffix(b"\r").decode("utf-8", "replace")


def _field(fields: list[str], number: int | None) -> str:
    return fields[number] if number is not None and number < len(fields) else ""


def _dated(stamp: str) -> str:
    """Return a time in the usual form: Kibana's tables have "Mar 7, 2026 @ 22:58:31.123"."""
    date, at, clock = stamp.partition(" @ ")
    parts = date.replace(",", "").split()
    if not at or len(parts) != 3 or parts[0] not in _MONTHS:
        return stamp
    month, day, year = parts
    return f"{year}-{_MONTHS.index(month) // 3 + 1:02d}-{day.zfill(2)} {clock}"
