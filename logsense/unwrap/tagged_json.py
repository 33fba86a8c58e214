"""Decodes logs whose lines are a time, a tag and a JSON object, as Fluentd and Fluent Bit write them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from logsense.unwrap.json_keys import load_json
from logsense.unwrap.json_lines import transform

_PREFIX_BYTES = 300  # the most in front of the object
_MOST_WORDS = 4  # besides the time; more are a sentence that ends in an object
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|(?<!\d)1\d{9}\.\d{1,9}")
_TEXTS = ("log", "message", "msg", "MESSAGE")


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """Return a function that turns a line into plain text; None if `head` does not start such a log."""
    lines = [line for line in head.split(b"\n")[:400] if line.strip()]
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()  # possibly cut off
    known = sum(1 for line in lines if _entry(line))
    return _line if known and known * 5 >= len(lines) * 3 else None


def may_be(head: bytes) -> bool:
    """Return whether the first line ends as such lines do; cheaper than `decoder`."""
    first = head.partition(b"\n")[0].rstrip()
    return first.endswith((b"}", b"}]")) and b'{"' in first


def _line(line: bytes) -> bytes:
    entry = _entry(line)
    return line if entry is None else transform(json.dumps(entry).encode() + line[len(line.rstrip(b"\r\n")) :])


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
