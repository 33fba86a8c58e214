"""Reads logs whose newest entry stands first from their end."""

from __future__ import annotations

from logsense.parse.turned import MOST_BYTES, turned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
