"""Unwraps a runtime log that was downloaded as a table: the message of each row, behind its time and level."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 1 << 20  # bytes; a longer line is passed on as it is

_TIMES = ("timestamp", "time", "date", "_time")
_LEVELS = ("level", "severity")
_MESSAGES = ("message", "textpayload", "msg", "log", "content", "line", "_raw")
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """What turns the lines of such a table, in order, into plain text; None where `head` begins no such table."""
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
    """Reads a table line by line; a quoted field may go on over several."""

    def __init__(self, message: int, stamp: int, level: int | None) -> None:
        self._message, self._stamp, self._level = message, stamp, level
        self._column = 0
        self._quoted = False
        self._header = True

    def line(self, line: bytes) -> bytes:
        """The text in the next line."""
        body = line.rstrip(b"\r\n")
        end = line[len(body) :]
        if self._header:
            self._header = False
            return end
        if len(line) > LONGEST:
            return line
        fresh = not self._quoted
        fields = self._fields(body.decode("utf-8", "replace"))
        text = fields.get(self._message, "")
        if fresh and text:
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
                # A doubled quote closes and opens again: the quote itself belongs to the field.
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
    """A time as other programs write it: Kibana's tables say "Mar 7, 2026 @ 22:58:31.123"."""
    date, at, clock = stamp.partition(" @ ")
    parts = date.replace(",", "").split()
    if not at or len(parts) != 3 or parts[0] not in _MONTHS:
        return stamp
    month, day, year = parts
    return f"{year}-{_MONTHS.index(month) // 3 + 1:02d}-{day.zfill(2)} {clock}"
