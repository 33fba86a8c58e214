"""An entry of a log in JSON, as loggers, log stores, containers and systemd's journal write it → its lines."""

from __future__ import annotations

import json
from time import gmtime, strftime

TEXT_KEYS = ("log", "msg", "message", "textPayload", "@message", "_raw")
TIME_KEYS = ("_time", "time", "timestamp", "ts", "@timestamp", "asctime", "datetime", "date", "t")
LEVEL_KEYS = ("level", "levelname", "severity", "lvl", "log_level", "loglevel")
STREAM_KEYS = ("stream", "stream_name", "source_type", "fd")
ERROR_KEYS = (
    *("exc_info", "exc_text", "exception", "traceback"),
    *("stack_trace", "stack", "error.stack_trace", "stackTrace"),
)
# These count only if the entry has a time, level or stream.
_WEAK_TEXT_KEYS = ("text", "event", "data", "body", "content", "line")
# These hold the entry itself in exports of log stores.
_WRAPPER_KEYS = ("_source", "content", "record", "result", "attributes")
_BUNYAN = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
_PYTHON = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}
_NAMES = ("TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL")
_JOURNAL_TIME = "__REALTIME_TIMESTAMP"  # microseconds since the epoch, in every entry
_LATEST_US = 1 << 52


def lines_of(entry: dict[str, object]) -> list[bytes] | None:
    """Return the lines of an object, with its prefixes; None if it has no text."""
    if _JOURNAL_TIME in entry:
        message = _journal_text(entry)
        return None if message is None else _encoded(_text_lines(message))
    text = _text(entry)
    if text is None:
        inner = next(
            (one for key in _WRAPPER_KEYS if isinstance(one := entry.get(key), dict) and _text(one) is not None), None
        )
        if inner is None:
            return None
        entry, text = inner, _text(inner)
    lines = _text_lines(text)
    for key in ERROR_KEYS:
        value = entry.get(key)
        if isinstance(value, (str, list)) and value and str(value) not in str(text):
            lines += _text_lines(value)
    if lines != [""]:
        lines[0] = _prefix(entry) + lines[0]
    return _encoded(lines)


def _encoded(lines: list[str]) -> list[bytes]:
    return [line.encode("utf-8", "replace") for line in lines]


def time_of(entry: dict[str, object]) -> str:
    """Return when an object was written, as text; "" if unknown."""
    inner = next((one for key in _WRAPPER_KEYS if isinstance(one := entry.get(key), dict)), entry)
    return next((shown for one in (entry, inner) for key in TIME_KEYS if (shown := _time_text(one.get(key)))), "")


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
    time = next((shown for key in TIME_KEYS if (shown := _time_text(entry.get(key)))), "")
    level = next((shown for key in LEVEL_KEYS if (shown := _level(entry, entry.get(key)))), "")
    if not time:
        return f"{ranked}[{level}] " if level else ranked
    stream = next((str(entry[key]) for key in STREAM_KEYS if entry.get(key) in ("stdout", "stderr")), "")
    if stream:
        return f"{ranked}{time} {stream} F "
    return f"{ranked}{time} [{level}] " if level else f"{ranked}{time} "


def _level(entry: dict[str, object], value: object) -> str:
    if isinstance(value, str):
        return value.upper() if value.upper() in _NAMES else ""
    if isinstance(value, int):
        return (_BUNYAN if "v" in entry or value == 60 else _PYTHON).get(value, "")
    return ""


def load_json(body: bytes) -> object:
    """Return the value of the JSON text `body`; None if it is invalid."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found


def _text_lines(value: object) -> list[str]:
    """Return the lines of a text, or of a list of texts."""
    text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    text = text.rstrip("\r\n")
    return text.replace("\r\n", "\n").split("\n") if "\n" in text else [text]


def _time_text(value: object) -> str:
    """Return a time, in words or in any unit since the epoch, as loggers print it; "" if it is not a time."""
    if isinstance(value, str):
        text = value.strip()
        if text.isdigit() and len(text) in (13, 16, 19):
            return _time_text(int(text))
        return text if text[:4].isdigit() and text[4:5] == "-" and ":" in text and len(text) < 40 else ""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return ""
    if not abs(value) < 1e20:
        return ""
    for unit in (1, 1e3, 1e6, 1e9):
        if 1e9 <= value / unit < 2e9:
            return f"{value / unit:.6f}"
    return ""


def _journal_text(entry: dict[str, object]) -> str | None:
    """Return the message of an entry of systemd's journal, as rsyslog writes it; None if it has no message.

    https://systemd.io/JOURNAL_EXPORT_FORMATS/: a value is text; a list of bytes if the text is not printable; a list if
    the field occurs twice; null if it is too long.
    """
    message = _journal_field(entry.get("MESSAGE"))
    if message is None:
        return None
    prefix = " ".join(part for part in (_journal_time(entry.get(_JOURNAL_TIME)), _journal_origin(entry)) if part)
    return f"{prefix} {message}" if prefix else message


def _journal_origin(entry: dict[str, object]) -> str:
    host, program = (
        _journal_field(entry.get("_HOSTNAME")),
        _journal_field(entry.get("SYSLOG_IDENTIFIER")) or _journal_field(entry.get("_COMM")),
    )
    pid = _journal_field(entry.get("_PID")) or _journal_field(entry.get("SYSLOG_PID"))
    if not host or not program or not (pid or program == "kernel"):
        return ""
    return f"{host} {'-'.join(program.split())}" + (f"[{pid}]:" if pid and program != "kernel" else ":")


def _journal_time(value: object) -> str:
    microseconds = int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else _LATEST_US
    if microseconds >= _LATEST_US:
        return ""
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(microseconds // 1_000_000)) + f".{microseconds % 1_000_000:06d}+00:00"


def _journal_field(value: object) -> str | None:
    if isinstance(value, list) and value and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, list):
        value = next(iter(value), None)
        return value if isinstance(value, str) else None
    return value if isinstance(value, str) else None
