"""GPU event records: UEFI error records (CPER) in base64, as `nvidia-smi cper` and a BMC's log give them.

Each becomes the lines in which the driver itself writes such a record to the kernel log.
https://docs.nvidia.com/deploy/gpu-operational-events/620/event-formats.html
https://github.com/NVIDIA/open-gpu-kernel-modules/blob/main/src/nvidia/inc/libraries/cper/gpu_cper.h
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from struct import error, unpack_from
from uuid import UUID

from logsense.unwrap.shape import Line, LineStep

name = "GPU event records"

# "CPER", its revision 1.x, and four bytes of ones.
_RECORD = re.compile(rb"Q1BFUg.B/{5}[A-Za-z0-9+/]{100,}={0,2}")
_HEADER_BYTES, _SECTION_BYTES, _EVENT_BYTES, _INFO_BYTES, _CONTEXT_BYTES = 128, 72, 32, 16, 16
_OF_NVIDIA = UUID("9068e568-6ca0-11f0-aeaf-159343591eac")
_LEGACY_XID = 0x8001
_PREFIXES = {0: "[Firmware Warn]", 1: "[Firmware Bug]"}  # recoverable, fatal; all others only inform


def begins(head: bytes) -> bool:
    """Return whether `head` holds such a record."""
    return bool(_RECORD.search(head))


def step(_: bytes) -> LineStep:
    """Return what unwraps the records."""
    return LineStep(_lines)


def _lines(line: Line) -> list[Line]:
    """Return the lines of the records in a line, or the line itself."""
    found: list[Line] = []
    for match in _RECORD.finditer(line.text):
        try:
            record = a2b_base64(match[0])
            texts = _texts(record)
        except (Error, error, ValueError):
            continue
        found += (Line(text.encode(), line.number) for text in texts)
    return found or [line]


def _texts(record: bytes) -> list[str]:
    """Return the lines of NVIDIA's events in a record; raise struct.error if it is cut off."""
    sections, severity = unpack_from("<HI", record, 10)
    (record_id,) = unpack_from("<Q", record, 96)
    prefix = f"NVRM: {{{record_id & 0x7FFF}}}{_PREFIXES.get(severity, '[Firmware Info]')}: "
    texts: list[str] = []
    for place in range(_HEADER_BYTES, _HEADER_BYTES + sections * _SECTION_BYTES, _SECTION_BYTES):
        start, size = unpack_from("<II", record, place)
        if UUID(bytes_le=record[place + 16 : place + 32]) == _OF_NVIDIA:
            texts.append(f" fru_id: {UUID(bytes_le=record[place + 32 : place + 48])}")
            texts += _event(record, start, start + size)
    return [prefix + text for text in texts]


def _event(record: bytes, start: int, end: int) -> list[str]:
    """Return the lines of one event."""
    contexts, category, code = unpack_from("<xBxxHH", record, start)
    module = _string(record[start + 16 : start + _EVENT_BYTES])
    texts = [f"  module_signature: {module}", f"  event_type: {category:#x}", f"  event_subtype: {code:#x}"]
    place = start + _EVENT_BYTES + _INFO_BYTES
    for _ in range(contexts):
        size, kind, data_bytes = unpack_from("<IxxxxHxxI", record, place)
        if size < _CONTEXT_BYTES or place + size > end:
            break
        if kind == _LEGACY_XID:
            data = place + _CONTEXT_BYTES
            texts.append(f"    xid: {unpack_from('<I', record, data)[0]}")
            texts.append(f'    message: "{_string(record[data + 4 : data + data_bytes])}"')
        place += size
    return texts


def _string(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")
