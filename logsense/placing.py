"""Answers with the places that people know: the numbers that lines have in their file, and the cells of notebooks."""

from __future__ import annotations

from logsense.model.parts import shown_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from logsense.model.report import Report
    from logsense.model.scan import Scan


def placed(report: Report, scans: Sequence[Scan]) -> Report:
    """`report` on `scans`, with places as people know them instead of those by which lines were read."""
    places = {scan.source: scan for scan in scans if scan.turned or scan.parts}
    return _placed(report, places) if places else report


def _placed(value: Any, places: Mapping[str, Scan]) -> Any:
    if isinstance(value, tuple):
        found = [_placed(part, places) for part in value]
        fields = getattr(value, "_fields", None)
        if fields is None:
            return tuple(found)
        if "line" in fields and "source" in fields:
            name, line = fields.index("source"), fields.index("line")
            scan = places.get(found[name])
            if scan and found[line] is not None:
                found[name], found[line] = _place(scan, found[line])
        return type(value)(*found)
    if hasattr(value, "items"):
        return {key: _placed(one, places) for key, one in value.items()}
    return value


def _place(scan: Scan, line: int) -> tuple[str, int]:
    numbers = scan.turned or ()
    if 0 < line <= len(numbers):
        line = numbers[line - 1]
    return shown_place(scan.source, scan.parts, line)
