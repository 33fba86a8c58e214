"""The types of slots and facts: the regex that finds each in text, its value, and its display."""

from __future__ import annotations

import re
from functools import lru_cache

# Every repetition is bounded, so that no text makes a search slow.
_DIGITS = r"\d{1,60}"
_THOUSANDS = r"(?:,\d{3}){0,20}"
_NUMBER = rf"{_DIGITS}{_THOUSANDS}(?:\.{_DIGITS})?"
# Programs that follow the user's locale print "1900,00 MiB"; three digits after a comma are thousands.
_COMMA = rf"{_DIGITS},\d{{1,2}}(?=\s?[kKMGTPE]i?B\b)"
_EXPONENT = r"(?:[eE][-+]?\d{1,20})?"
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0}
_UNITS_S |= {"minute": 60.0, "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "d": 86400.0, "day": 86400.0}
_UNIT_S = r"(?:us|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b"

SLOT_REGEX: dict[str, str] = {
    # NumPy prints "512. MiB".
    "size": (
        rf"(?:{_COMMA}|{_NUMBER}|{_DIGITS}\.(?=\s[kKMGTPE]i?B))(?:\s?(?:[kKMGTPE]i?B?|B|[Bb]ytes?)\b)?"
        rf"(?:\s?\({_DIGITS}\s?[Bb](?:ytes)?\))?"
    ),
    "bytes": rf"{_DIGITS}{_THOUSANDS}",
    "int": rf"[-+]?{_DIGITS}{_THOUSANDS}",
    "float": (rf"[-+]?(?:{_NUMBER}{_EXPONENT}|\.{_DIGITS}{_EXPONENT}|[nN]a[nN]|NAN|[iI]nf(?:inity)?)"),
    "ms": rf"{_DIGITS}(?:\.{_DIGITS})?",
    "s": rf"{_DIGITS}(?:\.{_DIGITS})?",
    "duration": (
        rf"(?:{_DIGITS} days?, )?{_DIGITS}:\d{{2}}(?::\d{{2}}(?:\.{_DIGITS})?)?"
        rf"|{_DIGITS}(?:\.{_DIGITS})?\s?{_UNIT_S}|{_DIGITS}(?:\.{_DIGITS})?"
    ),
    "word": r"\S{1,2000}",
    "name": r"[\w./:\-]{0,1000}\w",
    "ident": r"\w{1,1000}",
    "path": (
        r"'[^'\n]{1,4000}'|\"[^\"\n]{1,4000}\""
        r"|(?:[A-Za-z]:)?[^\s'\"`,;()\[\]<>|:]{0,4000}[^\s'\"`,;()\[\]<>|:.]"
    ),
    "hex": r"(?:0x)?[0-9a-fA-F]{1,200}",
    "version": rf"v?{_DIGITS}(?:\.{_DIGITS}){{0,9}}(?:[-+.]?[A-Za-z](?:[\w.+-]{{0,100}}\w)?)?",
    "pci": r"(?:PCI:)?(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?",
    "time": (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,20})?(?:Z|[+-]\d\d:?\d\d)?"
        r"|\w{3},? \w{3} {1,9}\d{1,2} \d\d:\d\d:\d\d(?: \w{1,9})? \d{4}|\w{3} {1,9}\d{1,2} \d\d:\d\d:\d\d"
        r"|\d\d/\d\d/\d{2,4} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:\.\d{1,20})?"
    ),
    "ip": (r"\[?(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]{0,60}(?:%\w{1,40})?)\]?(?:[:<]\d{1,9}>?)?"),
    "shape": (
        r"(?:torch\.Size\(|TensorShape\()?[\[(][-\d,\s?*xNone.]{0,1000}[\])]\)?"
        rf"|{_DIGITS}(?:\s?[x×]\s?{_DIGITS}){{0,40}}"
    ),
    "text": r"[^\n]{1,2000}?",
    "rest": r"[^\n]*",
    # An apostrophe within a word (can't) opens no quote; older Unix programs quote as `…'.
    "quoted": (
        r"(?<![A-Za-z]{2})'[^'\n]{0,4000}'|\"[^\"\n]{0,4000}\"|`[^`\n]{0,4000}`|`[^`'\n]{0,4000}'"
        r"|‘[^’\n]{0,4000}’|“[^”\n]{0,4000}”"
    ),
    "any": r"[\s\S]{1,4000}?",
}


ABSURD = 2.0**80  # bytes; of a longer number, only the first digits are read
FACT_TYPES = ("bytes", "int", "float", "seconds", "ratio", "version", "text", "bool")
_SCALE = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}


def to_bytes(text: str) -> int | None:
    """Return the number of bytes that `text` states ("2.00 GiB", "512.00M (536870912 bytes)"); None if it states none.

    Every prefix is a power of 1024, with or without the "i", as training programs use it.
    """
    exact = re.search(rf"\(({_DIGITS})\s?[Bb]", text)
    if exact:
        return int(exact[1])
    if re.match(rf"\s*{_COMMA}", text):
        text = text.replace(",", ".", 1)
    found = re.match(rf"\s*({_NUMBER})\.?\s?([kKMGTPE]?)i?(?:[Bb](?:ytes?)?)?\s*$", text)
    if not found:
        return None
    number, scale = found[1].replace(",", ""), int(1024 ** _SCALE[found[2].lower()])
    return round(float(number) * scale) if "." in number else int(number) * scale


def to_seconds(text: str) -> float | None:
    """Return the number of seconds that `text` states ("30 min", "1:02:03.5", "1800000 ms"); None if it states none."""
    clock = re.match(rf"\s*(?:({_DIGITS}) days?, )?({_DIGITS}):(\d{{2}})(?::(\d{{2}}(?:\.\d+)?))?\s*$", text)
    if clock:
        days, first, second, third = clock.groups()
        if third is None:
            return int(days or 0) * 86400.0 + int(first) * 60.0 + int(second)
        return int(days or 0) * 86400.0 + int(first) * 3600.0 + int(second) * 60.0 + float(third)
    plain = re.match(rf"\s*(\d+(?:\.\d+)?)\s?({_UNIT_S})?\s*$", text)
    if not plain:
        return None
    unit = plain[2] or "s"
    return float(plain[1]) * (_UNITS_S.get(unit) or _UNITS_S[unit.rstrip("s")])


def to_float(text: str) -> float | None:
    """Return the number that `text` states, including "nan" and "inf"; None if it states none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def to_int(text: str) -> int | None:
    """Return the integer that `text` states, with or without thousands separators; None if it states none."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        return None


def to_count(text: str) -> int | None:
    """Return the number that `text` states in digits only; None if it states none, or one too long for Python."""
    return to_int(text) if text.isdecimal() else None


@lru_cache(maxsize=4096)  # looking up a table parses the versions of all rows
def version_key(text: str) -> tuple[int, ...]:
    """Return a sort key for a version: its leading numbers ("2.5.1+cu121" gives (2, 5, 1))."""
    found = re.match(rf"v?({_DIGITS}(?:\.{_DIGITS})*)", text.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def slot_value(kind: str, text: str) -> object:
    """Return the value of a slot of type `kind` that matched `text`; the text itself if it can't be converted."""
    if kind in ("size", "bytes"):
        value: object = to_bytes(text)
    elif kind == "int":
        value = to_int(text)
    elif kind in ("float", "s"):
        value = to_float(text)
    elif kind == "ms":
        number = to_float(text)
        value = None if number is None else number / 1000.0
    elif kind == "duration":
        value = to_seconds(text)
    elif kind == "quoted":
        value = _single_backslashes(text[1:-1])
    elif kind == "path":
        value = _single_backslashes(text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text)
    elif kind in ("text", "rest", "any"):
        value = text.strip()
    else:
        value = text
    return text if value is None else value


def _single_backslashes(text: str) -> str:
    """Return `text`, such as a Windows path, with single backslashes if Python doubled each of them."""
    return text.replace("\\\\", "\\") if "\\\\" in text and not re.search(r"(?<!\\)\\(?!\\)", text) else text


def fact_value(kind: str, value: object) -> object | None:
    """Return `value` as a fact of type `kind`, parsing texts ("2 GiB", "30 min"); None if it is invalid."""
    if kind == "text":
        return str(value)
    if kind == "version":
        return str(value) if version_key(str(value)) else None
    if kind == "bool":
        return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        number: int | float | None = value
    elif kind == "bytes":
        number = to_bytes(str(value))
    elif kind == "seconds":
        number = to_seconds(str(value))
    elif kind == "int":
        number = to_int(str(value))
    else:
        number = to_float(str(value).rstrip("%"))
        if number is not None and str(value).endswith("%"):
            number /= 100.0
    if number is None:
        return None
    if kind in ("bytes", "int"):
        return int(number) if number == number and abs(number) != float("inf") else None
    return float(number)


def show(kind: str, value: object) -> str:
    """Format `value` of fact or slot type `kind` for reading: 5.37 GiB, 30 min, 87 %."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if kind in ("bytes", "size") and isinstance(value, (int, float)):
        return show_bytes(value)
    if kind in ("seconds", "duration", "ms", "s") and isinstance(value, (int, float)):
        return show_seconds(value)
    if kind == "ratio" and isinstance(value, (int, float)):
        return f"{100 * value:.0f} %"
    if kind == "int" and isinstance(value, int):
        return f"{value:,}" if abs(value) >= 100_000 else str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def show_bytes(count: float) -> str:
    """Format a number of bytes in the largest unit that keeps it above one: 5.37 GiB."""
    size = float(count)
    if abs(size) >= ABSURD:
        return "over 10^12 TiB"
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < 1024 or unit == "TiB":
            return f"{size:.0f} bytes" if unit == "bytes" else f"{size:.2f} {unit}".replace(".00 ", " ")
        size /= 1024
    raise AssertionError


def show_seconds(seconds: float) -> str:
    """Format a duration in one or two units: 45 s, 30 min, 2 h 5 min."""
    if not abs(seconds) < 1e15:
        return f"{seconds:g} s"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} days {hours} h" if hours else f"{days} days"
