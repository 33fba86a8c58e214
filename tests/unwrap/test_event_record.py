"""GPU event records (CPER) in base64, in the layout of NVIDIA's open kernel modules."""

from __future__ import annotations

from base64 import b64encode
from struct import pack
from uuid import UUID

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text
from logsense.sources.file import unwrap_step

OF_NVIDIA = UUID("9068e568-6ca0-11f0-aeaf-159343591eac")
RECOVERABLE, FATAL, INFORMATIONAL = 0, 1, 3


def context(kind: int, data: bytes) -> bytes:
    size = 16 + -(-len(data) // 16) * 16
    return pack("<IHHHHI", size, 0, 0, kind, 0x0100, len(data)) + data.ljust(size - 16, b"\0")


def xid(code: int, message: str) -> bytes:
    return context(0x8001, pack("<I", code) + message.encode() + b"\0")


def event(category: int, code: int, *contexts: bytes, module: str = "GPU-RAS") -> bytes:
    header = pack("<BBBBHHQ16s", 1, len(contexts), 1, 0, category, code, 77, module.encode())
    return header + pack("<HBBHHQ", 0x0100, 16, 4, 0, 0, 0) + b"".join(contexts)


def record(*events: bytes, severity: int = RECOVERABLE) -> bytes:
    place = 128 + 72 * len(events)
    descriptors = b""
    for one in events:
        descriptors += pack("<IIHBBI", place, len(one), 0x0100, 1, 0, 0)
        descriptors += (
            OF_NVIDIA.bytes_le + UUID(int=0xB850F46DD5EAC752DDF3C4453E44D3F7).bytes_le + pack("<I20x", severity)
        )
        place += len(one)
    header = b"CPER" + pack("<HIHIII", 0x0104, 0xFFFFFFFF, len(events), severity, 2, place) + bytes(72)
    return (header + pack("<QIQ12x", (1 << 40) | 12, 0, 0)) + descriptors + b"".join(events)


def explained(*lines: bytes) -> Report:
    return explain_text(b"\n".join(lines) + b"\n", load_catalog())


def encoded(*events: bytes, severity: int = RECOVERABLE) -> bytes:
    return b64encode(record(*events, severity=severity))


def test_a_record_becomes_the_lines_that_the_driver_writes() -> None:
    log = b"GPU 0\n" + encoded(event(2, 0x17, xid(95, "Uncontained: LTC"))) + b"\n"
    step = unwrap_step(log)
    assert step
    assert (step.feed(log) + step.finish()).decode().splitlines() == [
        "GPU 0",
        "NVRM: {12}[Firmware Warn]:  fru_id: b850f46d-d5ea-c752-ddf3-c4453e44d3f7",
        "NVRM: {12}[Firmware Warn]:   module_signature: GPU-RAS",
        "NVRM: {12}[Firmware Warn]:   event_type: 0x2",
        "NVRM: {12}[Firmware Warn]:   event_subtype: 0x17",
        "NVRM: {12}[Firmware Warn]:     xid: 95",
        'NVRM: {12}[Firmware Warn]:     message: "Uncontained: LTC"',
    ]


def test_its_xid_leads_to_the_action_of_the_xid() -> None:
    found = explained(b"one record:", encoded(event(2, 0x17, xid(95, "Uncontained: LTC")))).diagnoses[0]
    assert found.cause == "hardware.ecc-uncorrectable"
    assert "as NVIDIA's catalog requires after Xid 95" in found.fixes[0].do
    assert found.evidence[0].line == 2


def test_an_event_without_an_xid_is_explained_by_its_category() -> None:
    found = explained(encoded(event(3, 5, module="GPU-NVLINK"))).diagnoses[0]
    assert (
        found.title
        == "The GPU reported an error on a link to another device (NVLink, PCIe or C2C) (GPU-NVLINK, event 0x5)"
    )
    assert "recovery the driver requests" in found.fixes[0].do
    assert found.fixes[0].risk == "none"


def test_a_later_event_of_a_record_counts() -> None:
    found = explained(encoded(event(0x8002, 1), event(3, 1, xid(79, "GPU has fallen off the bus.")))).diagnoses[0]
    assert found.cause == "hardware.fallen-off-bus"


@pytest.mark.parametrize("severity", [2, INFORMATIONAL])
def test_what_was_corrected_or_informs_is_no_failure(severity: int) -> None:
    assert not explained(encoded(event(0x8004, 1, xid(63, "Row Remapper")), severity=severity)).diagnoses


@pytest.mark.parametrize("bytes_left", [130, 180, 220, 260])
def test_a_record_that_is_cut_off_stays_as_it_is(bytes_left: int) -> None:
    log = b64encode(record(event(2, 0x17, xid(95, "Uncontained: LTC")))[:bytes_left]) + b"\n"
    step = unwrap_step(log)
    text = step.feed(log) + step.finish() if step else log
    assert b"xid: 95" not in text
