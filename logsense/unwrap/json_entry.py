"""What the members of a JSON entry are called, and how their values are written as text."""

from __future__ import annotations

import json
from collections.abc import Callable

Transform = Callable[[bytes], bytes]

SURE = ("log", "msg", "message", "textPayload", "@message", "_raw")

TIMES = ("_time", "time", "timestamp", "ts", "@timestamp", "asctime", "datetime", "date", "t")

LEVELS = ("level", "levelname", "severity", "lvl", "log_level", "loglevel")

STREAMS = ("stream", "stream_name", "source_type", "fd")

ERRORS = ("exc_info", "exc_text", "exception", "traceback", "stack_trace", "stack", "error.stack_trace", "stackTrace")


def load(body: bytes) -> object:
    """What `body` says in JSON; None where it says nothing."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found


def one_line(value: object) -> str:
    """A text, or a list of its lines, with carriage returns between them."""
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    return text.rstrip("\r\n").replace("\r\n", "\r").replace("\n", "\r")


def stamp(value: object) -> str:
    """A time in words or in any unit since the epoch, as loggers write it; "" where it is none."""
    if isinstance(value, str):
        text = value.strip()
        if text.isdigit() and len(text) in (13, 16, 19):
            return stamp(int(text))
        return text if text[:4].isdigit() and text[4:5] == "-" and ":" in text and len(text) < 40 else ""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return ""
    if not abs(value) < 1e20:
        return ""
    for unit in (1, 1e3, 1e6, 1e9):
        if 1e9 <= value / unit < 2e9:
            return f"{value / unit:.6f}"
    return ""
