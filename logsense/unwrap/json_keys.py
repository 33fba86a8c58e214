"""The keys that loggers use in JSON entries, and the conversion of their values to text."""

from __future__ import annotations

import json

TEXT_KEYS = ("log", "msg", "message", "textPayload", "@message", "_raw")

TIME_KEYS = ("_time", "time", "timestamp", "ts", "@timestamp", "asctime", "datetime", "date", "t")

LEVEL_KEYS = ("level", "levelname", "severity", "lvl", "log_level", "loglevel")

STREAM_KEYS = ("stream", "stream_name", "source_type", "fd")

ERROR_KEYS = (
    *("exc_info", "exc_text", "exception", "traceback"),
    *("stack_trace", "stack", "error.stack_trace", "stackTrace"),
)


def load_json(body: bytes) -> object:
    """Return the value of the JSON text `body`; None if it is invalid."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found


def text_lines(value: object) -> list[str]:
    """Return the lines of a text, or of a list of texts."""
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    text = text.rstrip("\r\n")
    return text.replace("\r\n", "\n").split("\n") if "\n" in text else [text]


def time_text(value: object) -> str:
    """Return a time, in words or in any unit since the epoch, as loggers print it; "" if it is not a time."""
    if isinstance(value, str):
        text = value.strip()
        if text.isdigit() and len(text) in (13, 16, 19):
            return time_text(int(text))
        return text if text[:4].isdigit() and text[4:5] == "-" and ":" in text and len(text) < 40 else ""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return ""
    if not abs(value) < 1e20:
        return ""
    for unit in (1, 1e3, 1e6, 1e9):
        if 1e9 <= value / unit < 2e9:
            return f"{value / unit:.6f}"
    return ""
