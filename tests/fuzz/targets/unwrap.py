"""Single JSON objects of every shape, as loggers may write them."""

from __future__ import annotations

import json

from logsense.unwrap import csv_log, json_lines, pretty_json

VALUES: list[object] = [
    "x",
    "",
    "a\nb",
    0,
    -1,
    1763632800.25,
    10**19,
    10**400,
    1e308,
    True,
    None,
    [],
    ["a", 1],
    {},
    {"message": "y"},
]
KEYS = (
    "log",
    "msg",
    "message",
    "time",
    "ts",
    "level",
    "stream",
    "rank",
    "v",
    "exc_info",
    "event",
    "jsonPayload",
    "data",
)


def seeds() -> list[bytes]:
    """Return objects in which each key has each kind of value."""
    found = []
    for key in KEYS:
        for value in VALUES:
            entry: dict[str, object] = {"msg": "hello", "time": "2026-11-20T10:00:00Z", "level": "info", key: value}
            found.append(json.dumps(entry).encode())
    return found


def run(data: bytes) -> None:
    """Unwrap `data` as a line of every format."""
    for shape in (json_lines, pretty_json, csv_log):
        shape.begins(data)
        unwrapping = shape.step(data)
        unwrapping.feed(data)
        unwrapping.finish()
