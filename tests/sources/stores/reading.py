"""What an address gives, as `logsense explain` reads it."""

from __future__ import annotations

import io

from logsense.model.source import Source
from logsense.sources.find import resolve


def whole(source: Source) -> str:
    """All of a log."""
    reader, buffer, found = source.open(), bytearray(1 << 12), []
    while count := reader.readinto(buffer):
        found.append(bytes(buffer[:count]))
    reader.close()
    return b"".join(found).decode()


def sources_at(address: str) -> list[Source]:
    """The logs at an address."""
    return resolve([address], stdin=io.BytesIO())


def read(address: str) -> dict[str, list[str]]:
    """The lines of each log at an address, by what its name adds to the address."""
    begin = address.partition("?")[0].rstrip("/")
    return {
        source.name.removeprefix(begin): whole(source).removesuffix("\n").split("\n") for source in sources_at(address)
    }
