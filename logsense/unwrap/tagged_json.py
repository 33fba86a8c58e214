"""Tagged JSON: lines of a time, a tag and a JSON object, as Fluentd and Fluent Bit write them."""

from __future__ import annotations

import re

from logsense.unwrap.json_entry import load_json, unwrapped
from logsense.unwrap.shape import LineStep, most_lines

name = "tagged JSON"

_PREFIX_BYTES = 300  # the most in front of the object
_MOST_WORDS = 4  # besides the time; more are a sentence that ends in an object
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|(?<!\d)1\d{9}\.\d{1,9}")
_TEXTS = ("log", "message", "msg", "MESSAGE")


def begins(head: bytes) -> bool:
    """Return whether most of the first lines are such lines."""
    first = head.partition(b"\n")[0].rstrip()
    if not first.endswith((b"}", b"}]")) or b'{"' not in first:
        return False
    return most_lines(head, _entry)


def step(_: bytes) -> LineStep:
    """Return what unwraps such a log."""
    return LineStep(lambda line: unwrapped(line, _entry(line.text)))


def _entry(line: bytes) -> dict[str, object] | None:
    at = line.find(b'{"', 0, _PREFIX_BYTES)
    if at <= 0 or len(_TIME.sub(b"", line[:at]).split()) > _MOST_WORDS:
        return None
    body = line[at:].rstrip().rstrip(b"]")
    found = load_json(body) or load_json(body.replace(b'"=>', b'":'))
    if not isinstance(found, dict) or not any(isinstance(found.get(key), str) for key in _TEXTS):
        return None
    time = _TIME.search(line, 0, at)
    if time is None:
        return found
    stamp = time[0].decode()
    return {"time": float(stamp) if stamp[4] != "-" else stamp, **found}
