"""Reads logs whose newest entry stands first from their end, and answers with the lines' own numbers."""

from __future__ import annotations

from logsense.parse.turned import MOST_BYTES, turned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from logsense.model.report import Report
    from logsense.sources.source import Raw, Source


def turned_round(begin: bytes, reader: Raw, source: Source) -> tuple[bytes, Sequence[int] | None]:
    """`begin` and the rest of `reader`, from the last entry to the first, and which line each line was.

    What is too large to be kept is given as it stands, up to where it was read. `source` gets a note either way.
    """
    data = bytearray(begin)
    buffer = bytearray(1 << 20)
    while len(data) <= MOST_BYTES and (count := reader.readinto(buffer)):
        data += memoryview(buffer)[:count]
    if len(data) > MOST_BYTES:
        source.note = f"its newest lines stand first; more than {MOST_BYTES >> 20} MiB are not turned round"
        return bytes(data), None
    source.note = source.note or "its newest lines stand first; it was read from its end"
    pieces, numbers = turned(bytes(data))
    del data
    return b"".join(pieces), numbers


def renumbered(report: Report, turned: Mapping[str, Sequence[int]]) -> Report:
    """`report` with the numbers that lines have in their sources; `turned` gives those of each source's lines."""
    return _renumbered(report, turned)  # type: ignore[no-any-return]


def _renumbered(value: Any, turned: Mapping[str, Sequence[int]]) -> Any:
    if isinstance(value, tuple):
        parts = [_renumbered(part, turned) for part in value]
        fields = getattr(value, "_fields", None)
        if fields is None:
            return tuple(parts)
        if "line" in fields and "source" in fields:
            at = fields.index("line")
            numbers = turned.get(parts[fields.index("source")], ())
            if parts[at] is not None and 0 < parts[at] <= len(numbers):
                parts[at] = numbers[parts[at] - 1]
        return type(value)(*parts)
    if hasattr(value, "items"):
        return {key: _renumbered(one, turned) for key, one in value.items()}
    return value
