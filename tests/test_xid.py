"""The first action after each Xid: that of its bucket in NVIDIA's catalogue, refined by its line and those around it.

`python -m tests.test_xid` prints the table.
"""

from __future__ import annotations

from functools import cache

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.knowledge import Catalog
from logsense.model.report import Diagnosis
from logsense.pipeline import explain_text

LINE = "NVRM: Xid (PCI:0000:3b:00): {}, "
# What the first fix of each bucket says, and its risk.
FIRST = {
    "IGNORE": ("Leave the GPU alone", "none"),
    "RESTART_APP": ("Resume from the last checkpoint", "restart"),
    "RESET_GPU": ("then reset it", "needs-admin,stops-others"),
    "RESTART_BM": ("then restart it", "needs-admin,reboots"),
    "RESTART_VM": ("Restart the virtual machine", "needs-admin,reboots"),
    "CONTACT_SUPPORT": ("send it to the machine's vendor", "needs-admin"),
    "UPDATE_SWFW": ("Update the driver", "none"),
    "CHECK_MECHANICALS": ("check the card's power cables", "needs-admin"),
    "CHECK_UVM": ("memory manager (UVM)", "none"),
    "WORKFLOW_XID_48": ("then reset it", "needs-admin,stops-others"),
    "WORKFLOW_NVLINK_ERR": ("Check which link failed", "none"),
    "WORKFLOW_NVLINK5_ERR": ("Check which link failed", "none"),
}
NONE = "no bucket"
FIRST[NONE] = ("Check which recovery the driver requests", "none")
# Numbers that have an answer of another kind, and why.
OTHERWISE = {
    14: "a number that current drivers do not use, and nothing to do: no cause is named",
    45: "follows from another error or from the end of the program: by itself no cause",
    154: "says itself what to do: see the lines below",
}


@cache
def catalog() -> Catalog:
    return load_catalog()


def first(log: str) -> Diagnosis | None:
    found = explain_text(log.encode(), catalog()).diagnoses
    return found[0] if found else None


def rows() -> list[tuple[int, str, str]]:
    """Each number with its bucket, and whose it is."""
    table = catalog().table("xid")
    assert table
    return [
        (
            int(str(row["code"])),
            str(row.get("immediate") or row.get("own") or NONE),
            "NVIDIA" if "immediate" in row else "ours",
        )
        for row in table.rows
    ]


def test_the_first_action_is_that_of_the_bucket() -> None:
    wrong = []
    for code, bucket, _ in rows():
        if code in OTHERWISE:
            continue
        found = first(LINE.format(code) + "pid=771, name=python, Ch 00000008")
        words, risk = FIRST[bucket]
        if not found or words not in found.fixes[0].do or found.fixes[0].risk != risk:
            wrong.append((code, bucket, found and found.fixes[0]))
    assert not wrong


def test_buckets_of_the_tables_have_a_step() -> None:
    steps = catalog().table("xid-buckets")
    assert steps
    known = {str(row["bucket"]) for row in steps.rows if row.get("step")}
    for name in ("xid", "xid-nvlink", "xid-resets", "xid-answers"):
        table = catalog().table(name)
        assert table
        used = {str(row.get(key)) for row in table.rows for key in ("immediate", "own", "bucket") if row.get(key)}
        assert used <= known, name


@pytest.mark.parametrize(
    ("log", "words", "risk"),
    [
        (LINE.format(94) + "Contained: CE User Channel (0x9). RST: No, D-RST: No", "requires no reset now", "restart"),
        (LINE.format(94) + "Contained: LTC (0x9). RST: No, D-RST: Yes", "reset it", "needs-admin,stops-others"),
        (LINE.format(145) + "RLW_RXPIPE Nonfatal XC0 i0 Link 7 (0x00000004 0x00000004 0x00000000)", "non-fatal", "none"),
        (LINE.format(146) + "NEW_UNIT Nonfatal XC0 i0 Link 7 (0x00000004 0x00000010 0x00000000)", "non-fatal", "none"),
        (LINE.format(145) + "RLW_REMAP Nonfatal XC0 i0 Link 7 (0x00000004 0x00000004 0x00000000)", "Xid 154", "none"),
        (LINE.format(145) + "RLW_SRC_TRACK Fatal XC0 i0 Link 7 (0x00000004 0x00000010 0x00000000)", "reset it", "needs-admin,stops-others"),
        (LINE.format(146) + "TLW_RX_PIPE1 Fatal XC0 i0 Link 7 (0x00000004 0x00000004 0x00000000)", "reset it", "needs-admin,stops-others"),
        (LINE.format(119) + "Timeout\n" + LINE.format(154) + "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", "restart it", "needs-admin,reboots"),
        (LINE.format(119) + "Timeout\n" + LINE.format(154) + "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)", "needs no recovery", "none"),
        (LINE.format(154) + "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", "reset it", "needs-admin,stops-others"),
        ("NVRM: krcWatchdog_IMPL: RC watchdog: GPU is probably locked!  Notify Timeout Seconds: 7\n" + LINE.format(8) + "Channel 00000010", "reports it as locked", "needs-admin,stops-others"),
        (LINE.format(8) + "Channel 00000010\nNVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.", "fell off the bus", "needs-admin,reboots"),
        (LINE.format(177) + "Bank Remapper: New bank marked for remapping, reset gpu to activate.", "Leave the GPU alone", "none"),
        (LINE.format(185) + "SPARING_EVENT", "had published no action for Xid 185", "none"),
        (LINE.format(999) + "pid=1", "doesn't know it", "none"),
    ],
)  # fmt: skip
def test_lines_refine_it(log: str, words: str, risk: str) -> None:
    found = first(log)
    assert found
    assert words in found.fixes[0].do
    assert found.fixes[0].risk == risk


@pytest.mark.parametrize(
    "log",
    [
        LINE.format(45) + "pid=99120, name=train, Ch 0000000a",
        LINE.format(154) + "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)",
    ],
)
def test_what_asks_for_nothing_is_no_cause(log: str) -> None:
    assert first(log) is None


AT = "pid={}, name={}, Graphics SM Warp Exception on (GPC {}, TPC 5, SM 1): Out Of Range Address\n"
FAULT = "pid={}, name={}, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS\n"


@pytest.mark.parametrize(
    ("lines", "is_hardware"),
    [
        ([LINE.format(13) + AT.format(11, "a", 2), LINE.format(13) + AT.format(12, "a", 2)], True),
        ([LINE.format(13) + AT.format(11, "a", 2), LINE.format(13) + AT.format(11, "a", 2)], False),  # one run
        ([LINE.format(13) + AT.format(n, "a", place) for n, place in ((11, 2), (11, 1), (12, 2))], False),
        ([LINE.format(31) + FAULT.format(11, "a"), LINE.format(31) + FAULT.format(12, "b")], True),
        ([LINE.format(31) + FAULT.format(11, "a"), LINE.format(31) + FAULT.format(12, "a")], False),  # the same program
        (
            [
                LINE.format(31) + FAULT.format(11, "a"),
                LINE.format(31).replace("3b", "86") + FAULT.format(12, "b"),
            ],
            False,
        ),
    ],
)
def test_what_repeats_at_one_place_is_hardware(lines: list[str], is_hardware: bool) -> None:
    found = first("".join(lines))
    assert found
    assert found.cause == ("hardware.gpu-fault" if is_hardware else "code.illegal-memory-access")
    assert ("DCGM's diagnostics" in found.fixes[0].do) == is_hardware


@pytest.mark.parametrize("code", [180, 200, 999])
def test_an_unknown_number_is_told_as_unknown(code: int) -> None:
    found = first(LINE.format(code) + "pid=1, name=python, Ch 8")
    assert found
    assert found.title == f"GPU PCI:0000:3b:00 reported unknown Xid {code}"
    assert found.confidence < 0.7  # the driver states it, but not that it ended the run


@pytest.mark.parametrize(
    ("code", "title"),
    [
        (37, "FECS"), (59, "PMU"), (122, "flash memory"), (156, "unit of the GPU, such as an SM"),
        (160, "memory channel was retired"), (168, "write-protected memory region"), (43, "error of its own"), (69, "a command it does not know"),
        (119, "system processor (GSP)"), (63, "waiting to be remapped"),
    ],
)  # fmt: skip
def test_titles_say_which_part_it_was(code: int, title: str) -> None:
    found = first(LINE.format(code) + "pid=1, name=python, Ch 8")
    assert found
    assert title in found.title


if __name__ == "__main__":
    for code, bucket, whose in rows():
        found = first(LINE.format(code) + "pid=771, name=python, Ch 00000008")
        print(code, f"{bucket} ({whose})", OTHERWISE.get(code) or (found and found.fixes[0].do), sep=" | ")
