"""Decodes logs whose lines are JSON objects, as Docker, Kubernetes, systemd, Kaggle, Jupyter and structured loggers
write them.

One line in gives one line out, so line numbers stay: line breaks within an object become carriage returns.
"""

from __future__ import annotations

from collections.abc import Callable

from logsense.unwrap import journal, pretty_json
from logsense.unwrap.json_keys import (
    ERROR_KEYS,
    LEVEL_KEYS,
    STREAM_KEYS,
    TEXT_KEYS,
    TIME_KEYS,
    load_json,
    one_line,
    time_text,
)
from logsense.unwrap.store_response import entries_of
from logsense.util.times import is_decreasing

Transform = Callable[[bytes], bytes]

_FEW = 3  # decreasing times prove that the newest entry comes first
LONGEST = 4 << 20  # bytes; a longer line stays unchanged

# These count only if the entry has a time, level or stream.
_WEAK_TEXT_KEYS = ("text", "event", "data", "body", "content", "line")
# These hold the entry itself in exports of log stores.
_WRAPPER_KEYS = ("_source", "content", "record", "result", "attributes")
_RESPONSE_KEYS = ("data", "hits", "events")  # hold the entries in responses of log stores
_BUNYAN = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
_PYTHON = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}
_NAMES = ("TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")


def decoder(head: bytes) -> Transform | None:
    """Return a function that turns a line of the log into plain text; None if `head` does not start a JSON log."""
    lines = [line for line in head.split(b"\n")[:400] if line.strip(b"\r\n\t []")]
    if not lines:
        return None
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()  # possibly cut off
    known = sum(1 for line in lines if any(_entry_text(entry) is not None for entry in _objects(line)))
    if known * 5 >= len(lines) * 3:
        return transform
    if lines[0].strip()[:1] in b"{[" and len(lines) > 2:
        return pretty_json.decoder(lines)
    return None


def transform(line: bytes) -> bytes:
    """Return the text of the objects in a line, after their time, level and stream; other lines unchanged."""
    end = line[len(line.rstrip(b"\r\n")) :]
    entries = _objects(line)
    if not entries:
        return end if line.strip() in (b"[", b"]", b",") else line
    if len(entries) > _FEW and is_decreasing([_time(entry) for entry in entries], _FEW):
        entries.reverse()
    texts = [_entry_text(entry) for entry in entries]
    if all(text is None for text in texts):
        return line
    return "\r".join(text for text in texts if text is not None).encode("utf-8", "replace") + (end and b"\n")


def _objects(line: bytes) -> list[dict[str, object]]:
    body = line.strip().lstrip(b",").strip()
    if body[:1] not in (b"{", b"["):
        return []
    found = load_json(body.rstrip(b","))
    if found is None and body[:1] == b"[":  # the first line of an array
        found = load_json(body[1:].rstrip(b","))
    if found is None and body[-1:] == b"]":  # its last line
        found = load_json(body[:-1])
    if isinstance(found, dict):
        if "message" not in found and any(key in found for key in _RESPONSE_KEYS):
            return entries_of(found) or [found]
        return [found]
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _entry_text(entry: dict[str, object]) -> str | None:
    """Return the text of an object, with its prefixes; None if it has none."""
    if journal.TIME_KEY in entry:
        message = journal.entry_text(entry)
        return None if message is None else one_line(message)
    text = _text(entry)
    if text is None:
        inner = next(
            (one for key in _WRAPPER_KEYS if isinstance(one := entry.get(key), dict) and _text(one) is not None), None
        )
        if inner is None:
            return None
        entry, text = inner, _text(inner)
    body = one_line(text)
    for key in ERROR_KEYS:
        value = entry.get(key)
        if isinstance(value, (str, list)) and value and str(value) not in str(text):
            body += "\r" + one_line(value)
    if not body:
        return ""
    return _prefix(entry) + body


def _time(entry: dict[str, object]) -> str:
    """Return when an object was written, as text; "" if unknown."""
    inner = next((one for key in _WRAPPER_KEYS if isinstance(one := entry.get(key), dict)), entry)
    return next((shown for one in (entry, inner) for key in TIME_KEYS if (shown := time_text(one.get(key)))), "")


def _text(entry: dict[str, object]) -> object:
    for key in TEXT_KEYS:
        value = entry.get(key)
        if isinstance(value, (str, list)):
            return value
        if isinstance(value, dict) and isinstance(value.get("message"), str):
            return value["message"]
    payload = entry.get("jsonPayload")
    if isinstance(payload, dict) and isinstance(payload.get("message"), str):
        return payload["message"]
    if any(key in entry for key in (*TIME_KEYS, *LEVEL_KEYS, *STREAM_KEYS)):
        for key in _WEAK_TEXT_KEYS:
            if isinstance(entry.get(key), str):
                return entry[key]
    return None


def _prefix(entry: dict[str, object]) -> str:
    """Return time, level, stream and rank of an object, as loggers print them."""
    rank = entry.get("rank")
    ranked = f"[rank{rank}]: " if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0 else ""
    time = next((shown for key in TIME_KEYS if (shown := time_text(entry.get(key)))), "")
    if not time:
        return ranked
    stream = next((str(entry[key]) for key in STREAM_KEYS if entry.get(key) in ("stdout", "stderr")), "")
    if stream:
        return f"{ranked}{time} {stream} F "
    level = next((shown for key in LEVEL_KEYS if (shown := _level(entry, entry.get(key)))), "")
    return f"{ranked}{time} {level} " if level else f"{ranked}{time} "


def _level(entry: dict[str, object], value: object) -> str:
    if isinstance(value, str):
        return value.upper() if value.upper() in _NAMES else ""
    if isinstance(value, int):
        return (_BUNYAN if "v" in entry or value == 60 else _PYTHON).get(value, "")
    return ""


class LineDecoder:
    """Decodes a log, in pieces of any size, with the line decoder `lines`."""

    def __init__(self, lines: Transform) -> None:
        self._lines = lines
        self._partial: list[bytes] = []
        self._size = 0
        self._raw = False  # in the middle of a line that is too long to unwrap

    def feed(self, chunk: bytes) -> bytes:
        """Return the text of the lines that `chunk` completes."""
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
        """Return the text of an unfinished last line, and of lines held back by the line decoder."""
        rest = b"".join(self._partial)
        self._partial = []
        left = getattr(self._lines, "rest", None)
        return (self._lines(rest) if rest and not self._raw else rest) + (left() if left else b"")

    def _keep(self, part: bytes) -> bytes:
        """Keep the beginning of a line; return it once it is too long to keep."""
        if self._raw:
            return part
        if part:
            self._partial.append(part)
            self._size += len(part)
        if self._size <= LONGEST:
            return b""
        self._raw = True
        too_long, self._partial, self._size = b"".join(self._partial), [], 0
        return too_long


def _split(text: bytes) -> list[bytes]:
    """Return the lines of `text` with their ends; unlike in `splitlines`, only a newline ends a line."""
    return [line + b"\n" for line in text.split(b"\n")[:-1]]
