"""Lines that a collector wrote in parts are whole again, whatever was written between them."""

from __future__ import annotations

from logsense.records.records import records


def read(text: str) -> list[tuple[tuple[int, ...], str]]:
    return [(one.lines, one.text) for one in records(text.encode(), source="x")]


def test_gitlab_marks_a_line_that_goes_on_with_a_plus() -> None:
    text = (
        "2026-03-07T22:58:31.10Z 01E Traceback \n"
        "2026-03-07T22:58:31.11Z 00O step 12\n"
        "2026-03-07T22:58:31.12Z 01E+(most recent call last):\n"
        '2026-03-07T22:58:31.12Z 01E   File "train.py", line 3, in main\n'
        "2026-03-07T22:58:31.13Z 01E KeyError: \n"
        "2026-03-07T22:58:31.13Z 01E+'loss'\n"
    )
    assert read(text) == [
        ((1, 4, 5), "Traceback (most recent call last):\n  File \"train.py\", line 3, in main\nKeyError: 'loss'"),
        ((2,), "step 12"),
    ]


def test_a_container_marks_a_part_that_goes_on_with_a_p() -> None:
    text = (
        "2026-03-07T22:58:31.100000000Z stderr P reading shards out\n"
        "2026-03-07T22:58:31.100000001Z stdout F step 12\n"
        "2026-03-07T22:58:31.100000002Z stderr P  of /data, tried\n"
        "2026-03-07T22:58:31.100000003Z stderr F  to skip none\n"
        "2026-03-07T22:58:31.100000004Z stderr F the end\n"
    )
    assert [text for _, text in read(text)] == [
        "reading shards out of /data, tried to skip none",
        "step 12",
        "the end",
    ]


def test_a_part_whose_beginning_is_not_there_stands_alone() -> None:
    text = "2026-03-07T22:58:31.10Z 01E+rest of it\n2026-03-07T22:58:31.11Z 01E KeyError: 'loss'\n"
    assert [text for _, text in read(text)] == ["rest of it", "KeyError: 'loss'"]


def test_parts_without_end_do_not_become_one_line() -> None:
    parts = "".join(f"2026-03-07T22:58:31.10Z stderr P {'x' * 16_000}{number}\n" for number in range(12))
    assert max(len(text) for _, text in read(parts)) <= 64 * 1024
