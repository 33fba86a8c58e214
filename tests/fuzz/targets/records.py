"""Bytes to records: joined tracebacks, exceptions with frames, separate streams."""

from __future__ import annotations

from logsense.records.records import records
from tests.fuzz.seeds import texts as seeds

__all__ = ["run", "seeds"]


def run(data: bytes) -> None:
    """Parse `data`; records must be in order and within it."""
    at = 0
    for record in records(data, source="rank_3.log"):
        assert at <= record.offset <= record.end <= len(data), "a record is out of place"
        assert len(record.lines) == record.text.count("\n") + 1, "a record's lines do not add up"
        at = record.offset
