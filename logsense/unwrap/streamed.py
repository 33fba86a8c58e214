"""The shapes that whole logs come in, of any size, read or received piece by piece."""

from __future__ import annotations

from logsense.unwrap import (
    asciicast,
    csv_log,
    event_record,
    flight_recorder,
    json_lines,
    notebook,
    pretty_json,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.unwrap.shape import Shape

STREAMED: tuple[Shape, ...] = (
    flight_recorder,
    notebook,
    asciicast,
    event_record,
    json_lines,
    pretty_json,
    csv_log,
)
