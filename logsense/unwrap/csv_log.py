"""Decodes a log exported as CSV: the message of each row, after its time and level."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 1 << 20  # bytes; a longer line stays unchanged

_TIMES = ("timestamp", "time", "date", "_time")
_LEVELS = ("level", "severity")
_MESSAGES = ("message", "textpayload", "msg", "log", "content", "line", "_raw")
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """Return a function that turns the lines, in order, into plain text; None if `head` is not the header of a log."""
    first = head.partition(b"\n")[0].decode("utf-8", "replace").strip("\ufeff\r ")
    # As in "@timestamp" and "kubernetes.pod.name".
    names = [name.strip(' "').lower().lstrip("@").rpartition(".")[2] for name in first.split(",")]
    if len(names) < 2 or len(names) > 20 or len(first) > 500:
        return None
    message = next((names.index(name) for name in _MESSAGES if name in names), None)
    stamp = next((names.index(name) for name in _TIMES if name in names), None)
    if message is None or stamp is None:
        return None
    return _Rows(message, stamp, next((names.index(name) for name in _LEVELS if name in names), None)).line


class _Rows:
    """Parses rows line by line; a quoted field may span lines."""

    def __init__(self, message: int, stamp: int, level: int | None) -> None:
        self._message, self._stamp, self._level = message, stamp, level
        self._column = 0
        self._quoted = False
        self._header = True

    def line(self, line: bytes) -> bytes:
        """Return the text in the next line."""
        body = line.rstrip(b"\r\n")
        end = line[len(body) :]
        if self._header:
            self._header = False
            return end
        if len(line) > LONGEST:
            return line
        starts_row = not self._quoted
        fields = self._fields(body.decode("utf-8", "replace"))
        text = fields.get(self._message, "")
        if starts_row and text:
            level = fields.get(self._level, "").upper() if self._level is not None else ""
            stamp = _dated(fields.get(self._stamp, ""))
            if stamp[:4].isdigit() and (level or ":" in stamp):
                text = f"{stamp} {level} {text}" if level else f"{stamp} {text}"
        return text.encode() + end

    def _fields(self, text: str) -> dict[int, str]:
        if not self._quoted:
            self._column = 0
        fields: dict[int, list[str]] = {}
        previous = " "
        for number, part in enumerate(text.split('"')):
            if number:
                self._quoted = not self._quoted
            held = fields.setdefault(self._column, [])
            if self._quoted:
                # A doubled quote is a literal quote.
                held += ['"', part] if number > 1 and not previous else [part]
            else:
                first, *others = part.split(",")
                held.append(first)
                for piece in others:
                    self._column += 1
                    fields[self._column] = [piece]
            previous = part
        return {column: "".join(parts) for column, parts in fields.items()}


def _dated(stamp: str) -> str:
    """Return a time in the usual form: Kibana's tables have "Mar 7, 2026 @ 22:58:31.123"."""
    date, at, clock = stamp.partition(" @ ")
    parts = date.replace(",", "").split()
    if not at or len(parts) != 3 or parts[0] not in _MONTHS:
        return stamp
    month, day, year = parts
    return f"{year}-{_MONTHS.index(month) // 3 + 1:02d}-{day.zfill(2)} {clock}"
