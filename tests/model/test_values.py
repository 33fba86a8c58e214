"""Slot values are what the text states, and are shown the way people write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.model.values import (
    SLOT_REGEX,
    fact_value,
    show,
    show_bytes,
    slot_value,
    to_bytes,
    to_seconds,
    version_key,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2.00 GiB", 2 << 30),
        ("512. MiB", 512 << 20),
        ("20 MB", 20 << 20),
        ("512.00M (536870912 bytes)", 536870912),
        ("8192KiB", 8192 << 10),
        ("5053216Ki", 5053216 << 10),
        ("0 bytes", 0),
        ("7995392", 7995392),
        ("1,024 bytes", 1024),
        ("1900,50 MiB", 1900 * (1 << 20) + (1 << 19)),  # as a locale with decimal commas has it
        ("1,024 MiB", 1 << 30),
        ("lots", None),
    ],
)
def test_sizes(text: str, count: int | None) -> None:
    assert to_bytes(text) == count


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1800000 ms", 1800.0),
        ("30.5s", 30.5),
        ("10 minutes", 600.0),
        ("0:30:00", 1800.0),
        ("1 day, 0:00:01", 86401.0),
        ("2:05", 125.0),
        ("soon", None),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert to_seconds(text) == seconds


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int", "1,048,576", 1048576),
        ("float", "-inf", float("-inf")),
        ("ms", "250", 0.25),
        ("quoted", "'a b'", "a b"),
        ("path", '"C:\\my files\\x"', "C:\\my files\\x"),
        ("path", r"C:\\a\\b", r"C:\a\b"),
        ("path", r"\\server\share", r"\\server\share"),
        ("quoted", r"'C:\\a b\\c'", r"C:\a b\c"),
        ("rest", "  tail ", "tail"),
        ("int", "12345678901234567890123", 12345678901234567890123),
        ("size", "huge", "huge"),
    ],
)
def test_slot_values(kind: str, text: str, value: object) -> None:
    assert slot_value(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("bytes", "2 GiB", 2 << 30),
        ("seconds", "30 min", 1800.0),
        ("ratio", "90%", 0.9),
        ("version", "12.4", "12.4"),
        ("version", "none", None),
        ("bool", "true", True),
        ("int", True, None),
        ("int", float("nan"), None),
        ("text", 5, "5"),
    ],
)
def test_fact_values(kind: str, raw: object, value: object) -> None:
    assert fact_value(kind, raw) == value


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("bytes", 5765911183, "5.37 GiB"),
        ("bytes", 2 << 30, "2 GiB"),
        ("seconds", 1800.0, "30 min"),
        ("seconds", 7500.0, "2 h 5 min"),
        ("seconds", 0.25, "250 ms"),
        ("seconds", 200000.0, "2 days 7 h"),
        ("ratio", 0.873, "87 %"),
        ("int", 1234567, "1,234,567"),
        ("float", 0.1, "0.1"),
        ("bool", True, "yes"),
        ("text", "x", "x"),
    ],
)
def test_shown(kind: str, value: object, shown: str) -> None:
    assert show(kind, value) == shown


def test_versions_are_ordered_by_their_numbers() -> None:
    assert version_key("12.10") > version_key("12.4.1")
    assert version_key("v2.5.1+cu121") == (2, 5, 1)
    assert version_key("unknown") == ()


@given(st.integers(min_value=0, max_value=1 << 60))
def test_every_number_of_bytes_is_read_back(count: int) -> None:
    assert to_bytes(f"{count} bytes") == count
    shown = to_bytes(show_bytes(count))
    assert shown is not None
    assert abs(shown - count) <= max(1, count // 100)


@given(st.sampled_from(sorted(SLOT_REGEX)), st.text(max_size=60))
def test_a_slot_takes_any_text_that_its_regex_takes(kind: str, text: str) -> None:
    found = re.search(SLOT_REGEX[kind], text)
    if found:
        slot_value(kind, found[0])


def test_a_size_that_nothing_has_is_not_written_out() -> None:
    assert show_bytes(2.0**90) == "over 10^12 TiB"
    assert show_bytes(2.0**79) == "549755813888 TiB"
