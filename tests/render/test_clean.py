"""Log text is hostile: what is shown can't act on a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.render.clean import ascii_only, clean, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ~ text", "plain ~ text"),
        ("größer als 3 GiB, 内存不足", "größer als 3 GiB, 内存不足"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;Y2F0\x07clip", "clip"),
        ("\x9b31mred", "red"),
        ("\x1bcreset", "reset"),
        ("a\x08b\x00c\x7f", "a\\x08b\\0c\\x7f"),
        ("abc\u202edcba\u2069", "abc\\u202edcba\\u2069"),
        ("zero\u200bwidth \U000e0041", "zero\\u200bwidth \\U000e0041"),
        ("warn ⚠\ufe0f soft\xad", "warn ⚠ soft"),
        ("broken \udcff byte", "broken \\udcff byte"),
        ("a\tb\r\nc\rd", "a   b\nc\nd"),
        ("end\x1b", "end\\x1b"),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(st.characters()))
def test_nothing_that_acts_is_left(text: str) -> None:
    for char in clean(text):
        assert char == "\n" or unicodedata.category(char) not in ("Cc", "Cs"), hex(ord(char))
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(st.text())
def test_clean_text_stays(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_one_line() -> None:
    assert one_line("  a \n\t b\r\n\x1b[1mc ") == "a b c"


def test_ascii_only() -> None:
    assert ascii_only("✗ ranks 0–2 … × →") == "x ranks 0-2 ... x ->"
