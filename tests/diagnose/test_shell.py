"""A value from a log stays one word of a suggested command, whatever it holds, or the command is not suggested."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.diagnose.shell import BARE, DOUBLE, SINGLE, fit, quotes_at

HOSTILE = [
    "$(touch x)",
    "`id`",
    "'; id; '",
    '"; id; "',
    "a\\",
    "\\'",
    "a b",
    "*",
    "~",
    "!!",
    "$HOME",
    "a;b",
    "a&b",
    "a|b",
    "(",
    "#",
]
PIECES = [*HOSTILE, "numpy>=1.20", "data/train", "-", "x", "é", "="]


@pytest.mark.parametrize(
    ("command", "open_"),
    [
        ("ls @", [BARE]),
        ("pip install '@' \"@\" @", [SINGLE, DOUBLE, BARE]),
        ('ls -l "$(dirname @)" @', [BARE, BARE]),
        ('ls "$(dirname "@")@"', [DOUBLE, DOUBLE]),
        ("(cd @ && ls '(@')", [BARE, SINGLE]),
        ("echo \\' @ \\\" @ '\\' @", [BARE, BARE, BARE]),
        ('echo "(@)"', [DOUBLE]),
    ],
)
def test_which_quotes_are_open(command: str, open_: list[str]) -> None:
    assert quotes_at(command, [at for at, letter in enumerate(command) if letter == "@"]) == open_


@pytest.mark.parametrize("value", ["-rf", "-o ProxyCommand=id", "a\nb", "\x1b[31m", "\u202e", "x" * 201])
def test_refused_anywhere(value: str) -> None:
    assert fit(value, BARE) is None


def test_between_quotes_only_plain_text_stands() -> None:
    for value in HOSTILE:
        if value not in ("a b", "*", "~"):
            assert fit(value, SINGLE) is None
            assert fit(value, DOUBLE) is None
    assert fit("numpy>=1.20,!=1.24", DOUBLE) == "numpy>=1.20,!=1.24"
    assert fit("-1", BARE) == "-1"


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
def test_a_shell_reads_the_value_itself(value: str) -> None:
    template = "printf '%s\\n' @ '@' \"@\" \"$(printf %s @)\""
    places = [at for at, letter in enumerate(template) if letter == "@"]
    for place, open_ in zip(places, quotes_at(template, places), strict=True):
        fitted = fit(value, open_)
        if fitted is not None:
            command = template[:place].replace("@", "x") + fitted + template[place + 1 :].replace("@", "x")
            done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, timeout=10)
            assert value in done.stdout.split("\n")
            assert done.stdout.count("\n") == 4
