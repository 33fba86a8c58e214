"""Time grows with the length of a hostile input, not with its square: four times the bytes, not sixteen times the time."""

from __future__ import annotations

import pytest

from tests.fuzz.hostile import INPUTS, taken_s

BYTES = 16_000
TRIES = 4
MOST = 7.0  # times the time of a quarter of the bytes; the square would be 16
LITTLE_S = 0.1  # what needs no more than this for all is quick enough


@pytest.mark.parametrize("name", INPUTS)
def test_time_grows_with_length(name: str) -> None:
    for _ in range(TRIES):
        long = taken_s(INPUTS[name](4 * BYTES))
        if long < LITTLE_S or long < MOST * taken_s(INPUTS[name](BYTES)):
            return
    pytest.fail(f"four times as long an input took more than {MOST} times as long")
