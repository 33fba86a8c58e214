"""Reads the logs at a URL as `logsense explain` does."""

from __future__ import annotations

import io

from logsense.model.source import Source
from logsense.sources.find import resolve


def whole(source: Source) -> str:
    """Return all of a log."""
    reader, buffer, found = source.open(), bytearray(1 << 12), []
    while count := reader.readinto(buffer):
        found.append(bytes(buffer[:count]))
    reader.close()
    return b"".join(found).decode()


def sources_at(address: str) -> list[Source]:
    """Return the logs at a URL."""
    return resolve([address], stdin=io.BytesIO())


def read(address: str) -> dict[str, list[str]]:
    """Return the lines of each log at a URL, by what its name adds to the URL."""
    begin = address.partition("?")[0].rstrip("/")
    return {
        source.name.removeprefix(begin): whole(source).removesuffix("\n").split("\n") for source in sources_at(address)
    }
