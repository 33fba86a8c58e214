"""JSON lines: logs of JSON objects, as Docker, Kubernetes, systemd, Kaggle, Jupyter, loggers and log stores write them.

All lines of an entry are found at the line of its object.
"""

from __future__ import annotations

from logsense.unwrap import journal
from logsense.unwrap.json_keys import (
    ERROR_KEYS,
    LEVEL_KEYS,
    STREAM_KEYS,
    TEXT_KEYS,
    TIME_KEYS,
    load_json,
    text_lines,
    time_text,
)
from logsense.unwrap.shape import Line, LineStep, most_lines
from logsense.unwrap.store_response import entries_of
from logsense.util.times import is_decreasing

name = "JSON lines"

_FEW = 3  # decreasing times prove that the newest entry comes first
# These count only if the entry has a time, level or stream.
_WEAK_TEXT_KEYS = ("text", "event", "data", "body", "content", "line")
# These hold the entry itself in exports of log stores.
_WRAPPER_KEYS = ("_source", "content", "record", "result", "attributes")
_RESPONSE_KEYS = ("data", "hits", "events")  # hold the entries in responses of log stores
_BUNYAN = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
_PYTHON = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}
_NAMES = ("TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")


def begins(head: bytes) -> bool:
    """Return whether most of the first lines are objects that say something."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return False
    return most_lines(head, _has_text, b"\r\n\t []")


def step(_: bytes) -> LineStep:
    """Return what unwraps such a log."""
    return LineStep(_Objects())


class _Objects:
    def take(self, line: Line) -> list[Line]:
        """Return the lines of the objects in `line`, after their time, level and stream; other lines unchanged."""
        entries = _objects(line.text)
        if not entries and line.text.strip() in (b"[", b"]", b","):
            return []
        if len(entries) > _FEW and is_decreasing([_time(entry) for entry in entries], _FEW):
            entries.reverse()
        texts = [text for text in map(lines_of, entries) if text is not None]
        return [Line(text, line.number) for each in texts for text in each] if texts else [line]

    def rest(self) -> list[Line]:
        """Return nothing: every line is complete."""
        return []


def _has_text(line: bytes) -> bool:
    return any(lines_of(entry) is not None for entry in _objects(line))


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


def lines_of(entry: dict[str, object]) -> list[bytes] | None:
    """Return the lines of an object, with its prefixes; None if it has no text."""
    if journal.TIME_KEY in entry:
        message = journal.entry_text(entry)
        return None if message is None else _encoded(text_lines(message))
    text = _text(entry)
    if text is None:
        inner = next(
            (one for key in _WRAPPER_KEYS if isinstance(one := entry.get(key), dict) and _text(one) is not None), None
        )
        if inner is None:
            return None
        entry, text = inner, _text(inner)
    lines = text_lines(text)
    for key in ERROR_KEYS:
        value = entry.get(key)
        if isinstance(value, (str, list)) and value and str(value) not in str(text):
            lines += text_lines(value)
    if lines != [""]:
        lines[0] = _prefix(entry) + lines[0]
    return _encoded(lines)


def _encoded(lines: list[str]) -> list[bytes]:
    return [line.encode("utf-8", "replace") for line in lines]


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
