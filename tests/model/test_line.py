"""The number under which people find a line, whatever was added, dropped, repeated or reversed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.model import line
from logsense.model.line import Places, place_in


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 4))))
def test_every_line_has_the_number_it_was_added_with(runs: list[tuple[int, int]]) -> None:
    places = Places()
    for number, count in runs:
        places.add(number, count)
    numbers = [number + at for number, count in runs for at in range(count)]
    assert [places.number(at) for at in range(1, places.lines + 1)] == numbers


def test_a_text_that_was_not_unwrapped_keeps_its_numbers() -> None:
    assert place_in("a.log", None, 7) == ("a.log", 7)
    assert place_in("a.log", Places(), 7) == ("a.log", 7)


def test_memory_is_bounded_and_the_beginning_and_the_end_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "MOST_RUNS", 10)
    places = Places()
    for number in range(1000):
        places.add(2 * number)
    assert [places.number(at) for at in (1, 10, 991, 1000)] == [0, 18, 1980, 1998]
    assert places.runs <= 30
