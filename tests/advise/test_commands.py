"""A value from a log stays one word of a suggested command, whatever it holds, or the command is not suggested."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.advise.commands import BARE, DOUBLE, NOTE, SINGLE, Place, fit, places_at
from logsense.advise.wording import PLACEHOLDER
from logsense.catalog.load import load_catalog

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
    assert [
        one.quote for one in places_at(command, [at for at, letter in enumerate(command) if letter == "@"])
    ] == open_


@pytest.mark.parametrize("value", ["-rf", "-o ProxyCommand=id", "a\nb", "\x1b[31m", "\u202e", "x" * 201])
def test_refused_anywhere(value: str) -> None:
    assert fit(value, Place()) is None


def test_between_quotes_only_plain_text_stands() -> None:
    for value in HOSTILE:
        if value not in ("a b", "*", "~"):
            assert fit(value, Place(SINGLE)) is None
            assert fit(value, Place(DOUBLE)) is None
    assert fit("numpy>=1.20,!=1.24", Place(DOUBLE)) == "numpy>=1.20,!=1.24"
    assert fit("-1", Place()) == "-1"


@pytest.mark.parametrize(
    ("command", "value", "written"),
    [
        ("pip install '@'", "--index-url=x", None),
        ("pip install '@'", "numpy>=1.20", "numpy>=1.20"),
        ("find / -name 'lib@*'", "-x", "-x"),
        ("sh -c 'command -v @'", "a > b", None),
        ("sh -c 'command -v @'", "a b", None),
        ("sh -c 'command -v @'", "-x", None),
        ("sh -c 'command -v @'", "nvcc", "nvcc"),
        ("srun -N1 bash -lc 'ls @'", "~/x", None),
        ("ssh node7 'ls @'", "/data/*", None),
        ("ssh node7 'ls @'", "/data/set-1", "/data/set-1"),
        ("python -c 'import @'", "os as x", None),
        ("python -c 'open(\"@\")'", "a.b", "a.b"),
        ("eval 'x=@'", "a b", None),
    ],
)
def test_a_value_is_no_option_and_no_program(command: str, value: str, written: str | None) -> None:
    assert fit(value, places_at(command, [command.index("@")])[0]) == written


INSIDE = re.compile(r"\$\(|`")  # whose quotes are their own: the test below asks a shell


@cache
def shape(command: str) -> list[int]:
    """How many words and operators a shell reads in each line."""
    lines = NOTE.sub("", command).split("\n")
    lexers = [shlex.shlex(line, posix=True, punctuation_chars=True) for line in lines]
    for lexer in lexers:
        lexer.whitespace_split = True
    return [len(list(lexer)) for lexer in lexers]


@pytest.mark.parametrize("value", ["$(touch x)", "'; id; '", '"; id; "', "--x", "a > b || reboot"])
def test_no_value_changes_a_command_of_the_catalog(value: str) -> None:
    catalog = load_catalog()
    wordings = [
        wording
        for cause in catalog.causes
        if (rule := catalog.rule(cause))
        for text in (*(one.run for one in rule.fixes), *(one.run for one in rule.decide))
        for _, wording in text.variants
        if PLACEHOLDER.search(wording) and not INSIDE.search(wording)
    ]
    assert len(wordings) > 300
    for wording in wordings:
        places = places_at(wording, [one.start() for one in PLACEHOLDER.finditer(wording)])
        fitted = [fit(value, place) for place in places]
        if None in fitted:
            continue
        assert not any(place.runs and set(value) & set(" <>&|;()$*~") for place in places), wording
        filled = wording
        for one in fitted:
            filled = PLACEHOLDER.sub(lambda _, one=one: str(one), filled, count=1)
        assert shape(filled) == shape(PLACEHOLDER.sub("x", wording)), wording


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
def test_a_shell_reads_the_value_itself(value: str) -> None:
    template = "printf '%s\\n' @ '@' \"@\" \"$(printf %s @)\""
    places = [at for at, letter in enumerate(template) if letter == "@"]
    for place, open_ in zip(places, places_at(template, places), strict=True):
        fitted = fit(value, open_)
        if fitted is not None:
            command = template[:place].replace("@", "x") + fitted + template[place + 1 :].replace("@", "x")
            done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, timeout=10)
            assert value in done.stdout.split("\n")
            assert done.stdout.count("\n") == 4
