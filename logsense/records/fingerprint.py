"""Reduce a log line to what stays the same from run to run: without numbers, times, addresses, paths."""

from __future__ import annotations

from logsense.util.regexes import LazyBytes

DIGITS = b"0123456789"
MOST_BYTES = 1000  # of a line; the rest adds nothing
_ESCAPE = LazyBytes(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_BAR = LazyBytes(
    rb"\d+%\s?\||\[[=>#.\-\s]{8,}\]|\d(?:it|s|batch|ex(?:amples)?|steps?|[kKMG]?B)/(?:s|it)\b|\xe2\x96[\x80-\x8f]"
)
_CHANGING = LazyBytes(
    rb"(?P<path>(?:\b[A-Za-z]:)?(?:[/\\][\w.@+~=-]+){2,}[/\\]?|\w+://\S+)"
    rb"|(?P<name>\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b,?(?=[\s\d]))"
    rb"|(?P<hex>\b0[xX][0-9a-fA-F]+|\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}\b(?:-[0-9a-fA-F]{4,12}\b)*)"
    rb"|(?P<number>[-+]?(?:\d+[\d.,:]*|\.\d+)(?:[eE][-+]?\d+)?(?:\s?(?:[kKMGT]i?)?B\b)?)"
)
_NUMBERS = LazyBytes(rb"#(?:[\s,;:/x*\[\]()%-]*#)+")
_TAG = LazyBytes(rb"^(?:\[[^\]\n]{1,40}\]:? ?|[\w.-]{1,40}:(?: |$))")  # of the rank that printed it
_LETTER = LazyBytes(rb"[^\W\d_]{3}")


def is_bar(line: bytes) -> bool:
    """Return whether a line is a progress bar, which says nothing new."""
    return bool(_BAR.search(line))


def is_message(line: bytes) -> bool:
    """Return whether a line says something by itself: it has a word and is not indented, as a traceback's frames
    are."""
    text = _TAG.sub(b"", line)
    return not text[:1].isspace() and bool(_LETTER.search(text))


def fingerprint(line: bytes) -> bytes:
    """Return what `line` shares with the same message of another run: `step 12 loss 0.5` gives `step # loss #`."""
    text = _ESCAPE.sub(b"", line[:MOST_BYTES].rpartition(b"\r")[2] or line[:MOST_BYTES])
    text = _CHANGING.sub(b"#", text)
    return b" ".join(_NUMBERS.sub(b"#", text).split())


def shape(line: str) -> bytes:
    """Return the fingerprint of a decoded line."""
    return fingerprint(line.encode("utf-8", "replace"))
