"""A template becomes a regex that matches the message for every value of its slots."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.catalog.template import TemplateError, compile_pattern, compile_template


def search(template: str, text: str, at: str = "anywhere") -> dict[str, str] | None:
    pattern = compile_template(template, at)
    found = re.search(pattern.regex, text)
    return found.groupdict() if found else None


def test_slots_are_captured() -> None:
    assert search("tried {asked:size} on GPU {gpu:int}.", "x tried 2.00 GiB on GPU 3.") == {
        "asked": "2.00 GiB",
        "gpu": "3",
    }


def test_spaces_match_a_line_break() -> None:
    assert search("ran out of memory", "ran out\n   of memory") == {}


def test_the_longest_literal_is_what_is_scanned_for() -> None:
    assert compile_template("GPU {gpu:int} has fallen off the bus").literal == "has fallen off the bus"


def test_doubled_braces_are_braces() -> None:
    assert search("{{node {name:name}}} failed", "{node dense/x} failed") == {"name": "dense/x"}


@pytest.mark.parametrize(
    ("text", "fits"), [("Killed", True), ("  Killed  ", True), ("Killed it", False), ("was Killed", False)]
)
def test_a_template_that_is_a_whole_line(text: str, fits: bool) -> None:
    assert (search("Killed", f"a\n{text}\nb", "line") is not None) == fits


@pytest.mark.parametrize(("text", "fits"), [("Killed 3", True), ("was Killed", False)])
def test_a_template_that_begins_a_line(text: str, fits: bool) -> None:
    assert (search("Killed", text, "start") is not None) == fits


def test_a_quoted_path_may_hold_spaces() -> None:
    assert search("cannot open '{file:path}'", "cannot open 'my files/a b.pt'") == {"file": "my files/a b.pt"}


def test_a_text_in_quotes_at_the_beginning_holds_no_such_quote() -> None:
    assert search("'{name:text}' is used", "not 'a', since 'b' is used") == {"name": "b"}


def test_rest_before_other_words_is_bounded() -> None:
    assert search("Error: {what:rest} is lost", "Error: " + "a" * 2000 + " is lost") == {"what": "a" * 2000}
    assert search("Error: {what:rest} is lost", "Error: " + "a" * 2001 + " is lost") is None
    assert search("Error: {what:rest}", "Error: " + "a" * 2001) == {"what": "a" * 2001}


@pytest.mark.parametrize(
    "template",
    [
        "{x:int}",
        "ab{x:int}cd",
        "{x:colour} is wrong here",
        "{x:int} same {x:int} twice",
        "stray } brace here",
        "{1x} slot here",
    ],
)
def test_what_is_wrong_is_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        compile_template(template)


def test_a_plain_regex_names_its_types_in_its_groups() -> None:
    pattern = compile_pattern(r"loss=(?P<loss__float>nan)\b", "loss=")
    assert pattern.slots == {"loss": "float"}
    assert re.search(pattern.regex, "loss=nan")


@pytest.mark.parametrize(
    ("regex", "literal"), [("(", "long enough"), ("(?P<x__colour>a)", "long enough"), ("abc", "ab")]
)
def test_a_wrong_regex_is_refused(regex: str, literal: str) -> None:
    with pytest.raises(TemplateError):
        compile_pattern(regex, literal)


@given(st.integers(), st.floats(allow_nan=True), st.integers(min_value=0, max_value=1 << 40))
def test_every_number_in_a_template_may_take_any_value(number: int, real: float, size: int) -> None:
    text = f"rank {number} lost {real} of {size} bytes"
    assert search("rank {rank:int} lost {loss:float} of {size:size}", text) == {
        "rank": str(number), "loss": str(real), "size": f"{size} bytes",
    }  # fmt: skip


@given(st.text(min_size=4).filter(lambda t: len(t.strip()) >= 4 and not set(t) & set("{}") and len(t.split()) == 1))
def test_a_literal_template_matches_itself(text: str) -> None:
    assert search(text, f"before {text} after") is not None
