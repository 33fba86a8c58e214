"""Formats entries of systemd's journal in JSON (journalctl -o json) as rsyslog would.

https://systemd.io/JOURNAL_EXPORT_FORMATS/: a value is text; a list of bytes if the text is not printable; a list if the
field occurs twice; null if it is too long.
"""

from __future__ import annotations

from time import gmtime, strftime

TIME_KEY = "__REALTIME_TIMESTAMP"  # microseconds since the epoch, in every entry
_LATEST_US = 1 << 52


def entry_text(entry: dict[str, object]) -> str | None:
    """Return the message of an entry after its time, host and program; None if it has no message."""
    message = _text(entry.get("MESSAGE"))
    if message is None:
        return None
    prefix = " ".join(part for part in (_time(entry.get(TIME_KEY)), _origin(entry)) if part)
    return f"{prefix} {message}" if prefix else message


def _origin(entry: dict[str, object]) -> str:
    host, program = _text(entry.get("_HOSTNAME")), _text(entry.get("SYSLOG_IDENTIFIER")) or _text(entry.get("_COMM"))
    pid = _text(entry.get("_PID")) or _text(entry.get("SYSLOG_PID"))
    if not host or not program or not (pid or program == "kernel"):
        return ""
    return f"{host} {'-'.join(program.split())}" + (f"[{pid}]:" if pid and program != "kernel" else ":")


def _time(value: object) -> str:
    microseconds = int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else _LATEST_US
    if microseconds >= _LATEST_US:
        return ""
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(microseconds // 1_000_000)) + f".{microseconds % 1_000_000:06d}+00:00"


def _text(value: object) -> str | None:
    if isinstance(value, list) and value and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, list):
        value = next(iter(value), None)
        return value if isinstance(value, str) else None
    return value if isinstance(value, str) else None
