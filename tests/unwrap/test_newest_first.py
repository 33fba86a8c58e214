"""Logs that begin with their newest entry are recognized and reversed, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.unwrap.newest_first import is_newest_first, oldest_first

UPRIGHT = """\
2026-03-07 22:58:31 step 1
2026-03-07 22:58:32 step 2
2026-03-07 22:58:33 step 3
2026-03-07 22:58:34 ERROR failed
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    main()
ValueError: odd
2026-03-07 22:58:35 leaving
"""


def _round(text: str) -> tuple[str, list[int]]:
    data, places = oldest_first(text.encode(), None)
    return data.decode(), [places.number(line) for line in range(1, places.lines + 1)]


def _entries(text: str) -> list[str]:
    entries: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("2026"):
            entries.append(line)
        else:
            entries[-1] += line
    return entries


def test_entries_keep_their_lines_in_order() -> None:
    text = "".join(_entries(UPRIGHT)[::-1])
    assert is_newest_first(text.encode())
    assert _round(text) == (UPRIGHT, [9, 8, 7, 2, 3, 4, 5, 6, 1])


def test_lines_are_turned_one_by_one_where_tracebacks_stand_on_their_heads() -> None:
    lines = UPRIGHT.splitlines(keepends=True)
    text = "".join(lines[::-1])
    assert is_newest_first(text.encode())
    assert _round(text) == (UPRIGHT, [9, 8, 7, 6, 5, 4, 3, 2, 1])


def test_lines_of_one_second_that_a_store_left_in_order_stay_so() -> None:
    stamped = ["22:58:31 a\n", "22:58:32 b\n", "22:58:33 c\n"]
    trace = [f"22:58:34 {line}\n" for line in UPRIGHT.splitlines()[4:8]]
    text = "".join([*trace, *stamped[::-1]])
    assert is_newest_first(text.encode())
    assert _round(text)[0] == "".join([*stamped, *trace])


def test_a_traceback_alone_tells() -> None:
    trace = UPRIGHT.splitlines(keepends=True)[4:8]
    assert is_newest_first("".join(trace[::-1]).encode())
    assert not is_newest_first("".join(trace[::-1]).encode(), whole=False)
    assert not is_newest_first("".join(trace).encode())


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-03-07T22:{:02d}:00.5Z",
        "03/07/2026 22:{:02d}:00",
        "Mar  7 22:{:02d}:00",
        "22:{:02d}:00,123",
        "17500000{:02d}.123",
    ],
)
def test_all_kinds_of_times(stamp: str) -> None:
    lines = [f"{stamp.format(number)} node7 step {number}\n" for number in range(10, 30)]
    assert is_newest_first("".join(lines[::-1]).encode())
    assert not is_newest_first("".join(lines).encode())


@pytest.mark.parametrize(
    "text",
    [
        UPRIGHT,
        "",
        "no times\n" * 10,
        # Two machines whose clocks differ, line by line.
        "".join(f"22:58:{number:02d} a\n22:55:{number:02d} b\n" for number in range(20)),
        # One step back, as of a clock that is set, or of the next day.
        "23:59:58 a\n23:59:59 b\n00:00:01 c\n00:00:02 d\n",
        # What falls does not stand where times do.
        "".join(f"a message of more than a hundred characters {'.' * 80} 22:58:{59 - n:02d}\n" for n in range(20)),
        "".join(f"eta: 12:{59 - n:02d}:00  iter: {n}\n" for n in range(20)),
        "".join(f" {n}%|#    | {n}/100 [1:00:{n:02d}<0{9 - n}:00:00, 3.00s/it]\n" for n in range(9)),
        # A list of files, the newest first, in front of a log.
        "".join(f"-rw-r--r-- 1 me us 3 2026-03-07 22:{59 - n}:31.0 +0000 {n}.pt\n" for n in range(9)) + "step\n" * 200,
    ],
)
def test_other_logs_stay_as_they_are(text: str) -> None:
    assert not is_newest_first(text.encode())


@given(
    st.lists(
        st.sampled_from(
            ["2026-03-07 22:58:3{} x", "12:00:0{}", "", '  File "a", line 1', "Traceback (most recent call last):"]
        )
    ),
    st.booleans(),
)
def test_no_line_is_lost(parts: list[str], ended: bool) -> None:
    text = "\n".join(part.format(number % 10) for number, part in enumerate(parts)) + "\n" * ended
    given_text, numbers = _round(text)
    lines = text.removesuffix("\n").split("\n")
    assert sorted(numbers) == list(range(1, len(lines) + 1))
    assert given_text.split("\n")[:-1] == [lines[number - 1] for number in numbers]
