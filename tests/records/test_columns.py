"""What stands in front of all lines alike: taken off where it is a column, left where it is part of the messages."""

from __future__ import annotations

import pytest

from logsense.records.records import records

XID = "NVRM: Xid (PCI:0000:00:0{}): {}, pid={}, name=python3, Ch 00000008"


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        "[Wed Jul 31 23:14:1{} 2024] ",
        "[  199.23493{}] ",
        "Dec  2 11:38:2{} worker4 kernel: [  199.234935] ",
        "2024-07-31T23:14:1{}.1+00:00 ",
    ],
)
@pytest.mark.parametrize("lines", [4, 14])
def test_who_speaks_is_part_of_the_message(stamp: str, lines: int) -> None:
    text = "".join(stamp.format(n % 10) + XID.format(n % 8, 13 + n, 4000 + n) + "\n" for n in range(lines))
    found = records(text.encode(), source="dmesg.txt")
    assert len(found) == lines
    assert all(record.text.startswith("NVRM: Xid (PCI:") for record in found)


def test_a_word_in_front_of_a_traceback_is_a_column() -> None:
    lines = [
        "starting",
        "step 1",
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "ValueError: bad",
    ]
    for mark in ("stderr: ", "##[error]"):
        found = records("".join(f"{mark}{line}\n" for line in lines).encode(), source="x")
        assert [one.text for one in found] == [*lines[:2], "\n".join(lines[2:])]
