"""Bytes to clean lines: no control characters remain, and places stay within the input and in order."""

from __future__ import annotations

from logsense.unwrap.text import split_lines
from tests.fuzz.seeds import texts as seeds

__all__ = ["run", "seeds"]


def run(data: bytes) -> None:
    """Split `data`."""
    at = 0
    for line in split_lines(data, 1, 0):
        assert not set(line.text) & set("\x1b\r\n\0\x08"), "a control character is left"
        assert at <= line.start <= line.end <= len(data), "a line is out of place"
        at = line.start
