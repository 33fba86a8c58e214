"""Unwraps logs whose lines are JSON objects, as Docker, Kubernetes, systemd, Kaggle, Jupyter and structured loggers
write them.

The text is given line for line, so that line numbers stay: what one object says on several lines is parted by
carriage returns.
"""

from __future__ import annotations

from collections.abc import Callable

from logsense.model.source import ChunkReader, Raw
from logsense.unwrap import journal, json_spread
from logsense.unwrap.answers import entries_of
from logsense.unwrap.json_entry import ERRORS, LEVELS, STREAMS, SURE, TIMES, load, one_line, stamp
from logsense.util.times import fall

Transform = Callable[[bytes], bytes]

_FEW = 3  # times that fall tell that the newest stands first
LONGEST = 4 << 20  # bytes; a longer line is passed on as it is

_LIKELY = ("text", "event", "data", "body", "content", "line")  # only beside a time, a level or a stream
_INNER = (
    "_source",
    "content",
    "record",
    "result",
    "attributes",
)  # what exports of log stores put the entry itself into
_ANSWERS = ("data", "hits", "events")  # what the answer of a log store holds its entries in
_BUNYAN = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
_PYTHON = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}
_NAMES = ("TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")


def decoder(head: bytes) -> Transform | None:
    """What turns a line of such a log into plain text, decided from its first bytes; None if it is no such log."""
    lines = [line for line in head.split(b"\n")[:400] if line.strip(b"\r\n\t []")]
    if not lines:
        return None
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()  # it may be cut
    known = sum(1 for line in lines if any(_said(entry) is not None for entry in _objects(line)))
    if known * 5 >= len(lines) * 3:
        return transform
    if lines[0].strip()[:1] in b"{[" and len(lines) > 2:
        return json_spread.decoder(lines)
    return None


def transform(line: bytes) -> bytes:
    """The text that a line's objects say, behind their time, level and stream. Other lines are given back unchanged."""
    end = line[len(line.rstrip(b"\r\n")) :]
    entries = _objects(line)
    if not entries:
        return end if line.strip() in (b"[", b"]", b",") else line
    if len(entries) > _FEW and fall([_time(entry) for entry in entries], _FEW):
        entries.reverse()
    said = [_said(entry) for entry in entries]
    if all(text is None for text in said):
        return line
    return "\r".join(text for text in said if text is not None).encode("utf-8", "replace") + (end and b"\n")


def _objects(line: bytes) -> list[dict[str, object]]:
    body = line.strip().lstrip(b",").strip()
    if body[:1] not in (b"{", b"["):
        return []
    found = load(body.rstrip(b","))
    if found is None and body[:1] == b"[":  # the first line of an array that goes on
        found = load(body[1:].rstrip(b","))
    if found is None and body[-1:] == b"]":  # its last line
        found = load(body[:-1])
    if isinstance(found, dict):
        if "message" not in found and any(key in found for key in _ANSWERS):
            return entries_of(found) or [found]
        return [found]
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _said(entry: dict[str, object]) -> str | None:
    """The text of an object, with its prefixes; None where it has none."""
    if journal.STAMP in entry:
        message = journal.said(entry)
        return None if message is None else one_line(message)
    text = _text(entry)
    if text is None:
        inner = next(
            (one for key in _INNER if isinstance(one := entry.get(key), dict) and _text(one) is not None), None
        )
        if inner is None:
            return None
        entry, text = inner, _text(inner)
    body = one_line(text)
    for key in ERRORS:
        value = entry.get(key)
        if isinstance(value, (str, list)) and value and str(value) not in str(text):
            body += "\r" + one_line(value)
    if not body:
        return ""
    return _prefix(entry) + body


def _time(entry: dict[str, object]) -> str:
    """When an object was written, as text; "" where it does not say."""
    inner = next((one for key in _INNER if isinstance(one := entry.get(key), dict)), entry)
    return next((shown for one in (entry, inner) for key in TIMES if (shown := stamp(one.get(key)))), "")


def _text(entry: dict[str, object]) -> object:
    for key in SURE:
        value = entry.get(key)
        if isinstance(value, (str, list)):
            return value
        if isinstance(value, dict) and isinstance(value.get("message"), str):
            return value["message"]
    payload = entry.get("jsonPayload")
    if isinstance(payload, dict) and isinstance(payload.get("message"), str):
        return payload["message"]
    if any(key in entry for key in (*TIMES, *LEVELS, *STREAMS)):
        for key in _LIKELY:
            if isinstance(entry.get(key), str):
                return entry[key]
    return None


def _prefix(entry: dict[str, object]) -> str:
    """The time, level, stream and rank of an object, written as loggers write them."""
    rank = entry.get("rank")
    ranked = f"[rank{rank}]: " if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0 else ""
    time = next((shown for key in TIMES if (shown := stamp(entry.get(key)))), "")
    if not time:
        return ranked
    stream = next((str(entry[key]) for key in STREAMS if entry.get(key) in ("stdout", "stderr")), "")
    if stream:
        return f"{ranked}{time} {stream} F "
    level = next((shown for key in LEVELS if (shown := _level(entry, entry.get(key)))), "")
    return f"{ranked}{time} {level} " if level else f"{ranked}{time} "


def _level(entry: dict[str, object], value: object) -> str:
    if isinstance(value, str):
        return value.upper() if value.upper() in _NAMES else ""
    if isinstance(value, int):
        return (_BUNYAN if "v" in entry or value == 60 else _PYTHON).get(value, "")
    return ""


class Unwrapping:
    """Turns the bytes of such a log, fed piece by piece, into their text."""

    def __init__(self, lines: Transform) -> None:
        self._lines = lines
        self._partial: list[bytes] = []
        self._size = 0
        self._raw = False  # in the middle of a line that is too long to unwrap

    def feed(self, chunk: bytes) -> bytes:
        """The text of the lines that `chunk` completes."""
        head, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            return self._keep(chunk)
        whole = b"".join([*self._partial, head, newline])
        self._partial, self._size = [], 0
        begin = b""
        if self._raw:
            begin, _, whole = whole.partition(b"\n")
            begin += b"\n"
            self._raw = False
        text = begin + b"".join(self._lines(line) for line in _split(whole))
        return text + self._keep(tail)

    def finish(self) -> bytes:
        """The text of a last line without an end, and of what waited for lines that don't come."""
        rest = b"".join(self._partial)
        self._partial = []
        left = getattr(self._lines, "rest", None)
        return (self._lines(rest) if rest and not self._raw else rest) + (left() if left else b"")

    def _keep(self, part: bytes) -> bytes:
        """Keep the beginning of a line for later; gives what has become too long to keep."""
        if self._raw:
            return part
        if part:
            self._partial.append(part)
            self._size += len(part)
        if self._size <= LONGEST:
            return b""
        self._raw = True
        given, self._partial, self._size = b"".join(self._partial), [], 0
        return given


class Unwrapped(ChunkReader):
    """A reader of JSON lines that gives their text."""

    def __init__(self, below: Raw, lines: Transform) -> None:
        super().__init__(below)
        self._unwrapping = Unwrapping(lines)
        self._ended = False

    def following(self) -> bytes | None:
        """The text of the next lines."""
        if self._ended:
            return None
        chunk = self.take()
        self._ended = not chunk
        return self._unwrapping.feed(chunk) if chunk else self._unwrapping.finish()


def _split(text: bytes) -> list[bytes]:
    """The lines of `text` with their ends; unlike `splitlines`, only a newline ends one."""
    return [line + b"\n" for line in text.split(b"\n")[:-1]]
