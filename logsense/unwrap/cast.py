"""Unwraps what asciinema recorded of a terminal: the text that was shown, in pieces with times.

https://docs.asciinema.org/manual/asciicast/v2/ and v3: a header, then an event a line, [seconds, code, data]. Lines are
those of the text, not of the file.
"""

from __future__ import annotations

from collections.abc import Callable

from logsense.unwrap.json_entry import load

VERSIONS = (2, 3)
SHOWN = "o"  # the code of what the program printed; others are typed text, marks, sizes


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """What turns a line of such a recording into text; None where `head` begins no such one."""
    first, _, rest = head.partition(b"\n")
    if b'"version"' not in first or (rest and rest.lstrip(b" #")[:1] not in (b"[", b"")):
        return None
    header = load(first)
    if not isinstance(header, dict) or header.get("version") not in VERSIONS:
        return None
    return _shown if "width" in header or "term" in header else None


def _shown(line: bytes) -> bytes:
    """The text that an event shows."""
    event = load(line.strip()) if line.lstrip()[:1] == b"[" else None
    if isinstance(event, list) and len(event) == 3 and event[1] == SHOWN and isinstance(event[2], str):
        return event[2].encode("utf-8", "replace")
    return b""
