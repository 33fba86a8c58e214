"""JSON lines: logs of JSON objects, as Docker, Kubernetes, systemd, Kaggle, Jupyter, loggers and log stores write them.

All lines of an entry are found at the line of its object. A line may also be the response of a log store, such as Loki,
Elasticsearch or CloudWatch, or an object behind a time and a tag, as Fluentd and Fluent Bit write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from logsense.unwrap.json_entry import lines_of, load_json, time_of
from logsense.unwrap.shape import Line, LineStep, most_lines
from logsense.util.times import is_decreasing

name = "JSON lines"

BELOW = b'\n{"'  # an object below other lines
_FEW = 3  # objects that show the shape; decreasing times that prove that the newest entry comes first
_RESPONSE_KEYS = ("data", "hits", "events")  # hold the entries in responses of log stores
_MOST_DEPTH = 5
_NANOSECOND_DIGITS = 19  # of a Loki timestamp
_TAG_BYTES = 300  # the most in front of an object
_MOST_WORDS = 4  # besides the time; more are a sentence that ends in an object
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|(?<!\d)1\d{9}\.\d{1,9}")
_TAGGED_TEXTS = ("log", "message", "msg", "MESSAGE")


def begins(head: bytes) -> bool:
    """Return whether most of the first lines, or of those below a launcher's, are objects that say something."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return most_lines(head, _has_text, b"\r\n\t []")
    first = head.partition(b"\n")[0].rstrip()
    if first.endswith((b"}", b"}]")) and b'{"' in first and most_lines(head, _tagged):
        return True
    begin = head.find(BELOW) + 1
    return begin > 0 and head.count(BELOW) >= _FEW and most_lines(head[begin:], _has_text)


def step(_: bytes) -> LineStep:
    """Return what unwraps such a log."""
    return LineStep(_unwrapped)


def _unwrapped(line: Line) -> list[Line]:
    """Return the lines of the objects in `line`, after their time, level and stream; other lines unchanged."""
    entries = _objects(line.text)
    if not entries and line.text.strip() in (b"[", b"]", b","):
        return []
    if len(entries) > _FEW and is_decreasing([time_of(entry) for entry in entries], _FEW):
        entries.reverse()
    texts = [text for text in map(lines_of, entries) if text is not None]
    return [Line(text, line.number) for each in texts for text in each] if texts else [line]


def _has_text(line: bytes) -> bool:
    return any(lines_of(entry) is not None for entry in _objects(line))


def _objects(line: bytes) -> list[dict[str, object]]:
    body = line.strip().lstrip(b",").strip()
    found: object = None
    if body[:1] in (b"{", b"["):
        found = load_json(body.rstrip(b","))
    if found is None and body[:1] == b"[":  # the first line of an array
        found = load_json(body[1:].rstrip(b","))
    if found is None and body[:1] == b"{" and body[-1:] == b"]":  # its last line
        found = load_json(body[:-1])
    if found is None:
        found = _tagged(line)
    if isinstance(found, dict):
        if "message" not in found and any(key in found for key in _RESPONSE_KEYS):
            return _entries_in(found) or [found]
        return [found]
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _tagged(line: bytes) -> dict[str, object] | None:
    """Return the entry behind a time and a tag."""
    at = line.find(b'{"', 0, _TAG_BYTES)
    if at <= 0 or len(_TIME.sub(b"", line[:at]).split()) > _MOST_WORDS:
        return None
    body = line[at:].rstrip().rstrip(b"]")
    found = load_json(body) or load_json(body.replace(b'"=>', b'":'))
    if not isinstance(found, dict) or not any(isinstance(found.get(key), str) for key in _TAGGED_TEXTS):
        return None
    time = _TIME.search(line, 0, at)
    if time is None:
        return found
    stamp = time[0].decode()
    return {"time": float(stamp) if stamp[4] != "-" else stamp, **found}


def _entries_in(response: dict[str, object]) -> list[dict[str, object]]:
    """Return the log entries in `response`; sort them by time if they come from several Loki streams."""
    found = [list(entries) for entries in _lists(response, _MOST_DEPTH)]
    merged = [entry for entries in found for entry in entries]
    if len(found) > 1 and all("ts" in entry for entry in merged):
        merged.sort(key=lambda entry: str(entry["ts"]))
    return merged


def _lists(value: object, depth: int) -> Iterator[Iterator[dict[str, object]]]:
    if depth and isinstance(value, dict):
        for one in value.values():
            yield from _lists(one, depth - 1)
    elif depth and isinstance(value, list) and value:
        if all(_is_loki_pair(one) for one in value):
            yield ({"ts": one[0], "line": one[1]} for one in value)
        elif all(isinstance(one, dict) and ("message" in one or "_source" in one) for one in value):
            yield iter(value)
        else:
            for one in value:
                yield from _lists(one, depth - 1)


def _is_loki_pair(value: object) -> bool:
    if not isinstance(value, list) or len(value) < 2:
        return False
    time, line = value[:2]
    return isinstance(time, str) and time.isdigit() and len(time) == _NANOSECOND_DIGITS and isinstance(line, str)
