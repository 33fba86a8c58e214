"""What stands in front of all lines alike: taken off where it is a column, left where it is part of the messages."""

from __future__ import annotations

import pytest

from logsense.records import prefixes
from logsense.records.records import records

TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "    main()",
    "ValueError: no",
]
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


@pytest.mark.parametrize("mark", ["{1}[Hardware Error]:", "nvidia 0000:3b:00.0: NVRM: {12}[Firmware Warn]:"])
def test_the_kernels_mark_of_an_error_record_is_part_of_the_message(mark: str) -> None:
    rests = ("event severity: fatal", " Error 0, type: fatal", *("  section_type: PCIe error" for _ in range(10)))
    log = "".join(f"{mark} {rest}\n" for rest in rests)
    assert records(log.encode(), source="dmesg.txt")[0].text == f"{mark} event severity: fatal"


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


HEADER = [
    *(f"export SIZE_{number}={number}:{number + 1}" for number in range(60)),
    "12: the number of a list",
    "+ srun",
]
FAILED = ["Traceback (most recent call last):", '  File "train.py", line 3, in <module>', "KeyError: 'x'"]


@pytest.mark.parametrize("ranks", [1, 2, 8])
def test_the_header_of_a_batch_script_does_not_hide_the_ranks_of_srun(ranks: int) -> None:
    said = [f"{rank}: loading shard {shard}" for shard in range(2) for rank in range(ranks)]
    failed = [f"{ranks - 1}: {line}" for line in FAILED]
    text = "\n".join([*HEADER, *said, *failed, "Job ends", "epilog: cleaning"])
    [error] = [record for record in records(text.encode(), source="x") if record.raised]
    assert (error.text, error.prefix.rank) == ("\n".join(FAILED), ranks - 1)


def test_a_rank_that_alone_prints_a_traceback_is_one_behind_a_header() -> None:
    text = "\n".join([*HEADER, *(f"63: {line}" for line in FAILED)])
    [error] = [record for record in records(text.encode(), source="x") if record.raised]
    assert error.prefix.rank == 63


@pytest.mark.parametrize("lines", [["1: cat", "2: dog", "1: cat", "2: dog"], ["0: a", "1: b", "2: c", "3: d"]])
def test_a_numbered_list_in_a_log_names_no_ranks(lines: list[str]) -> None:
    found = records("\n".join([*HEADER, *lines]).encode(), source="x")
    assert not [record for record in found if record.prefix.rank is not None]


def test_what_follows_a_shared_word_is_parsed_once_however_long_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    split = prefixes.split_prefixes

    def counted(text: str, nccl: bool = True) -> object:
        parsed.append(text)
        return split(text, nccl)

    monkeypatch.setattr(prefixes, "split_prefixes", counted)
    records("\n".join("a " + "b " * 20_000 for _ in range(4)).encode(), source="log")
    assert len(parsed) < 100


def test_a_clock_in_front_of_all_lines_is_removed_from_each() -> None:
    ranked = [f"[rank0]: {line}" for line in TRACEBACK]
    clocked = "".join(f"22:58:31 {line}\n" for line in [*ranked, *ranked, *TRACEBACK])
    assert [record.text for record in records(clocked.encode(), source="x")] == ["\n".join(TRACEBACK)] * 3
