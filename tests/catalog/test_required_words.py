"""A gate never keeps out what its regex matches."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.catalog.load import load_catalog
from logsense.catalog.required_words import required_words
from logsense.model.signature import Pattern
from tests.test_catalog import samples


def let_in(held: tuple[tuple[str, ...], ...], text: str) -> bool:
    return all(any(one in text.lower() for one in gate) for gate in held)


@pytest.mark.parametrize(
    ("regex", "held"),
    [
        ("cat", (("cat",),)),
        ("(?i)No GPU", (("no gpu",),)),
        (r"\w+ needs (?:gpu|cuda)\b", ((" needs cuda", " needs gpu"),)),
        (r"\w+ (?:needs|wants)", ((" needs", " wants"),)),
        (r"(?:no \d+ cats|two dogs) at", ((" cats", "two dogs"), (" at",))),
        (r"[Cc]ats? (?:or dogs?)?", (("cat ", "cats "),)),
        (r"(?:cat)+", (("cat",),)),
        (r"(?:cat){1}s", (("cats",),)),
        (r"\d+(?=[^\n]*needed)", (("needed",),)),
        (r"\d+(?!needed)", ()),
        (r"(?:cat|\d+)", ()),
        (r"(?:cat)*", ()),
        (r"(?:cat)?", ()),
        (r"[a-z]+", ()),
        (r"(?:ab|cd)x", (("abx", "cdx"),)),
        (r"(?:a|b)", ()),
        (r"(?>cat)alog", (("catalog",),)) if hasattr(re, "NOFLAG") else ("catalog", (("catalog",),)),
        (r"(?P<x>cat)(?P=x)", (("cat",),)),
    ],
)
def test_what_stands_in_every_match(regex: str, held: tuple[tuple[str, ...], ...]) -> None:
    assert required_words(regex) == held


def test_what_every_line_with_a_literal_holds_is_no_gate() -> None:
    assert required_words(r"(?:Error|Fatal): [a-z]+ (?:gpu|cuda)", ["Error: ", "Fatal: "]) == ((" cuda", " gpu"),)
    assert required_words(r"Error: \d+", ["Error: "]) == ()


def _words() -> st.SearchStrategy[str]:
    return st.sampled_from(["gpu", "CUDA", "no", " ", "Error: ", "a", "ß", "İ", "k", "12"])


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(parts, min_size=1, max_size=4)
    return st.one_of(
        several.map("".join),
        several.map(lambda some: f"(?:{'|'.join(some)})"),
        st.tuples(parts, st.sampled_from(["?", "*", "+", "{2}", "{0,3}", "+?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
        parts.map(lambda one: f"(?={one})"),
        parts.map(lambda one: f"(?!{one})"),
        st.sampled_from([r"\d+", "[^\n]*?", "[Gg]", "[a-c]", r"\b", "^", "."]),
    )


@given(
    st.recursive(_words().map(re.escape), _joined, max_leaves=12),
    st.lists(_words(), max_size=8).map("".join),
    st.booleans(),
)
def test_a_match_is_let_in(regex: str, text: str, any_case: bool) -> None:
    regex = f"(?i){regex}" if any_case else regex
    if re.search(regex, text):
        assert let_in(required_words(regex), text)


def test_the_catalogs_samples_are_let_in() -> None:
    texts = [text for _, text in samples()]
    catalog = load_catalog()
    gated: list[Pattern] = []
    for index in range(len(catalog.ids)):
        gated += [pattern for pattern in catalog.signature(index).match[:1] if pattern.required_words]
    assert len(gated) > 50
    for pattern in gated:
        compiled = re.compile(pattern.regex)
        for text in texts:
            if pattern.literal in text and compiled.search(text):
                assert let_in(pattern.required_words, text), (pattern.regex, text)
