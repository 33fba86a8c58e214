"""Checksums of what the cache holds: against damage, not against forgery; hashlib would cost 4 ms of start-up."""

from __future__ import annotations

from zlib import crc32

CHECKSUM_BYTES = 4


def with_checksum(body: bytes) -> bytes:
    """Return `body` behind its checksum."""
    return crc32(body).to_bytes(CHECKSUM_BYTES, "little") + body


def without_checksum(data: bytes) -> bytes | None:
    """Return the body of `data`, which `with_checksum` returned; None if it is damaged."""
    body = data[CHECKSUM_BYTES:]
    return body if data[:CHECKSUM_BYTES] == crc32(body).to_bytes(CHECKSUM_BYTES, "little") else None


def key_of(text: bytes) -> str:
    """Return a name for what depends on `text` alone: 16 hexadecimal digits."""
    return f"{crc32(text):08x}{crc32(text[::-1]):08x}"
