"""Unwraps logs whose lines are a time, a tag and a JSON object, as Fluentd and Fluent Bit write them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from logsense.unwrap.json_entry import load
from logsense.unwrap.json_lines import transform

_FAR = 300  # bytes, before which the object begins
_WORDS = 4  # beside the time; more is a sentence that ends in an object
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|(?<!\d)1\d{9}\.\d{1,9}")
_TEXTS = ("log", "message", "msg", "MESSAGE")


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """What turns a line of such a log into plain text; None where `head` begins no such log."""
    lines = [line for line in head.split(b"\n")[:400] if line.strip()]
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()  # it may be cut
    known = sum(1 for line in lines if _entry(line))
    return _line if known and known * 5 >= len(lines) * 3 else None


def may_be(head: bytes) -> bool:
    """Whether the first line ends as such lines do; cheap."""
    first = head.partition(b"\n")[0].rstrip()
    return first.endswith((b"}", b"}]")) and b'{"' in first


def _line(line: bytes) -> bytes:
    entry = _entry(line)
    return line if entry is None else transform(json.dumps(entry).encode() + line[len(line.rstrip(b"\r\n")) :])


def _entry(line: bytes) -> dict[str, object] | None:
    at = line.find(b'{"', 0, _FAR)
    if at <= 0 or len(_TIME.sub(b"", line[:at]).split()) > _WORDS:
        return None
    body = line[at:].rstrip().rstrip(b"]")
    found = load(body) or load(body.replace(b'"=>', b'":'))
    if not isinstance(found, dict) or not any(isinstance(found.get(key), str) for key in _TEXTS):
        return None
    time = _TIME.search(line, 0, at)
    if time is None:
        return found
    stamp = time[0].decode()
    return {"time": float(stamp) if stamp[4] != "-" else stamp, **found}
