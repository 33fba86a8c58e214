"""Replaces the line numbers in a report by those that people see: in the original file, in cells of notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logsense.model.line import shown_place
from logsense.model.reading import Reading
from logsense.model.report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def with_places(report: Report, readings: Sequence[Reading]) -> Report:
    """Return `report` with the original line numbers and notebook cells instead of the lines as read."""
    places = {reading.source: reading for reading in readings if reading.original_lines or reading.parts}
    return _placed(report, places) if places else report


def _placed(value: Any, places: Mapping[str, Reading]) -> Any:
    if isinstance(value, tuple):
        found = [_placed(part, places) for part in value]
        fields = getattr(value, "_fields", None)
        if fields is None:
            return tuple(found)
        if "line" in fields and "source" in fields:
            name, line = fields.index("source"), fields.index("line")
            reading = places.get(found[name])
            if reading and found[line] is not None:
                found[name], found[line] = _place(reading, found[line])
        return type(value)(*found)
    if hasattr(value, "items"):
        return {key: _placed(one, places) for key, one in value.items()}
    return value


def _place(reading: Reading, line: int) -> tuple[str, int]:
    numbers = reading.original_lines or ()
    if 0 < line <= len(numbers):
        line = numbers[line - 1]
    return shown_place(reading.source, reading.parts, line)
