"""What a hostile input costs grows with its length, not with its square.

What Python does is counted as calls, so that nothing else on the machine can change it. What is written in C, such as
a regex that searches again from every place, makes no calls; it shows as processor time, of which the square takes so
much more that no load can make up for it.
"""

from __future__ import annotations

import cProfile
import re
import time
from collections.abc import Callable

import pytest

from logsense.pipeline import explain_text
from logsense.share.bundle import redactor_for
from tests.fuzz.hostile import INPUTS, taken_s
from tests.fuzz.targets.whole import catalog

pytestmark = pytest.mark.fuzz

Action = Callable[[int], object]  # on an input of so many bytes

FEW_BYTES = 2_000
COUNTED_BYTES = 12_000
MOST_CALLS = 2.6  # times the calls for half of the bytes; the square would be 4
LEAST_CALLS = 50_000  # on top of those for half of the bytes; fewer are no harm
TIMED_BYTES = 60_000
LONG_S = 1.0  # several times what they take; of the square of 60,000 steps one may take half a nanosecond
MOST_TIME = 9.0  # times the time for a quarter of the bytes; the square would be 16
TRIES = 3


def calls(action: Action, size: int) -> int:
    """How many functions `action` calls, of Python and of C."""
    profile = cProfile.Profile()
    profile.runcall(action, size)
    return sum(entry.callcount for entry in profile.getstats())


def grows_too_fast(action: Action, seconds: Callable[[int], float]) -> bool:
    """Whether the calls of `action` grow much faster than its bytes; or its time does, which `seconds` measures."""
    for size in (FEW_BYTES, COUNTED_BYTES // 2, COUNTED_BYTES):
        action(size)  # compiles and decodes what is then kept
    few, many = calls(action, COUNTED_BYTES // 2), calls(action, COUNTED_BYTES)
    if many > MOST_CALLS * few and many > few + LEAST_CALLS:
        return True
    return all(
        (long := seconds(TIMED_BYTES)) > LONG_S and long > MOST_TIME * seconds(TIMED_BYTES // 4) for _ in range(TRIES)
    )


@pytest.mark.parametrize("name", INPUTS)
def test_what_it_costs_grows_with_length(name: str) -> None:
    make = INPUTS[name]
    assert not grows_too_fast(lambda size: explain_text(make(size), catalog()), lambda size: taken_s(make(size)))


@pytest.mark.parametrize("name", INPUTS)
def test_what_hiding_costs_grows_with_length(name: str) -> None:
    make = INPUTS[name]

    def hide(size: int) -> object:
        redactor, text = redactor_for(catalog()), make(size).decode("utf-8", "replace")
        redactor.learn(text)
        return redactor.mask(text)

    assert not grows_too_fast(hide, seconds_of(hide))


def seconds_of(action: Action) -> Callable[[int], float]:
    """A measure of its processor time."""

    def seconds(size: int) -> float:
        began = time.process_time()
        action(size)
        return time.process_time() - began

    return seconds


@pytest.mark.parametrize(
    ("action", "too_fast"),
    [
        (lambda size: [min(at, 1) for at in range(size)], False),
        (lambda size: [min(at, other) for at in range(size // 20) for other in range(at)], True),
        (lambda size: re.search("ab", "a" * size), False),
        (lambda size: re.search("a*b", "a" * size), True),
    ],
    ids=["a line in Python", "a square in Python", "a line in C", "a square in C"],
)
def test_a_square_is_found(action: Action, too_fast: bool) -> None:
    assert grows_too_fast(action, seconds_of(action)) == too_fast
