"""Times of day as loggers write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.util.times import clock_of, seconds_between


@pytest.mark.parametrize(
    ("begin", "end", "seconds"),
    [
        ("2026-05-04T03:12:55", "2026-05-04 06:25:05,500", 11530.5),
        ("2026/02/28 23:59:59", "2026-03-01 00:00:01Z", 2),
        ("23:59:58", "00:00:01.5", 3.5),
        ("1231 23:59:59.000", "0101 00:00:01.000", 2),
        ("20251231 23:59:59.000", "20260101 00:00:01.000", 2),
        ("Jan  5 03:04:05", "Jan  5 04:04:05", 3600),
        ("Mon Jan  5 03:04:05 2026", "Tue Jan  6 03:04:06 2026", 86_401),
        ("01-12 03:04:05", "01-12 03:14:05", 600),
        ("04/05/26, 11:00:01 PM", "04/06/26, 12:00:01 AM", 3600),
        ("1700000000.5", "1700000100.75", 100.25),
        ("   12.500000", "  14.000000", 1.5),
    ],
)
def test_seconds_between(begin: str, end: str, seconds: float) -> None:
    assert seconds_between(begin, end) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("2026-05-04 03:12:55", "03:12:56"),
        ("yesterday", "today"),
        ("2026-05-04 03:12:55", "2026-05-04 03:12:54"),
        ("2026-13-45 03:12:55", "2026-13-46 03:12:55"),
        ("Jun  5 03:04:05", "Jan  5 04:04:05"),
        ("2026-05-04", "2026-05-05"),
        ("23-04-22 01:51:51", "23-04-24 02:51:51"),
    ],
)
def test_what_can_not_be_compared(begin: str, end: str) -> None:
    assert seconds_between(begin, end) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_answered(begin: str, end: str) -> None:
    clock_of(begin)
    found = seconds_between(begin, end)
    assert found is None or found >= 0
