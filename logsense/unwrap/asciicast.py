"""Extracts the text shown in a terminal recording made by asciinema.

Formats 2 and 3: a header, then one JSON event a line, [seconds, code, data]. Line numbers are those of the shown text,
not of the recording. https://docs.asciinema.org/manual/asciicast/v2/
"""

from __future__ import annotations

from collections.abc import Callable

from logsense.unwrap.json_keys import load_json

VERSIONS = (2, 3)
OUTPUT = "o"  # event code; other codes are input, markers and resizes


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """Return a function that turns a line of the recording into text; None if `head` does not start a recording."""
    first, _, rest = head.partition(b"\n")
    if b'"version"' not in first or (rest and rest.lstrip(b" #")[:1] not in (b"[", b"")):
        return None
    header = load_json(first)
    if not isinstance(header, dict) or header.get("version") not in VERSIONS:
        return None
    return _output if "width" in header or "term" in header else None


def _output(line: bytes) -> bytes:
    event = load_json(line.strip()) if line.lstrip()[:1] == b"[" else None
    if isinstance(event, list) and len(event) == 3 and event[1] == OUTPUT and isinstance(event[2], str):
        return event[2].encode("utf-8", "replace")
    return b""
