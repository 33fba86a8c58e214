"""The loose form of a regex finds in a raw line what the regex may find in its record."""

from __future__ import annotations

import re

import pytest

from logsense.match.loose import MAY_BEGIN, first_and_last, loose
from logsense.model.signature import Pattern


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        (r"(?m)^\W*done[^\n$]*$", rf"(?m){MAY_BEGIN}\W*done[^\n$]*"),
        (r"(?m)^(?!a(?:b)c)[^\n]*?lost", r"(?m)^(?!a(?:b)c)[^\n]*?lost"),
        (r"(?!x$)y\$$", r"(?!x$)y\$"),
        (r"(?<!^)a|^b(?:c|$)", rf"(?<!^)a|{MAY_BEGIN}b(?:c|)"),
        (r"[]^]x[^]]^[^\n]y", rf"[]^]x[^]]{MAY_BEGIN}[^\n]y"),
    ],
)
def test_anchors_that_a_prefix_breaks(regex: str, expected: str) -> None:
    assert loose(Pattern(regex, {}, "", ())).regex == expected


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("{}", True),
        ("[rank0]:{}", True),
        ("12:00:01 {}", True),
        ("3/9{}", True),
        ("\x1b[31m{}", True),
        ("\x1b[m{}", True),
        ("[0m{}", True),
        (r"lost\n{}", True),
        ("lost{}", False),
    ],
)
def test_where_a_message_may_begin_in_a_raw_line(line: str, begins: bool) -> None:
    pattern = loose(Pattern("(?m)^ValueError: lost", {}, "", ()))
    assert bool(re.search(pattern.regex, line.format("ValueError: lost"))) is begins


@pytest.mark.parametrize(
    ("regex", "line", "found"),
    [
        (r"(?m)^Error: (?=[^\n]*lost)", "12:01 Error: lost", True),
        (r"(?m)^Error: (?=[^\n]*lost)", "Error: kept", False),
        (r"(?m)^Error: (?=[^ ]*lost)", "Error: lost " + "Error: kept " * 9, True),
        (r"(?m)^Error: (?=[^ ]*lost)", "Error: kept " * 9 + "Error: lost ", True),
        (r"(?m)^Error: (?=[^ ]*lost)", "Error: kept " * 9 + "Error: lost " + "Error: kept " * 9, False),
        (r"(?m)^Error: (?:(?=[^ ]*lost)\w+|gone)", "Error: kept " * 9 + "Error: gone", True),
    ],
)
def test_a_loose_regex_that_looks_ahead_begins_at_the_first_and_the_last_places(
    regex: str, line: str, found: bool
) -> None:
    search = first_and_last(loose(Pattern(regex, {}, "", ())).regex, 0)
    assert search is not None
    assert bool(search.search(line, 0, len(line))) is found


@pytest.mark.parametrize("regex", [r"(?m)^Error: lost", r"(?m)^(?!Error: lost)", r"Error: (?!lost)", r"^a(?!b)c|^d"])
def test_other_regexes_begin_anywhere(regex: str) -> None:
    assert first_and_last(loose(Pattern(regex, {}, "", ())).regex, 0) is None
