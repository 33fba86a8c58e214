"""Columns: nothing is lost in wrapping, nothing is wider than it may be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.render.layout import Look, Sheet, cut, width_of, wrap

TEXTS = st.text(st.sampled_from("ab 12 GiB内é\u0301"), max_size=200)


def plain(lines: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


@settings(deadline=None)
@given(TEXTS, TEXTS, st.integers(8, 60))
def test_wrap_keeps_all_text_within_the_columns(first: str, second: str, columns: int) -> None:
    lines = plain(wrap([(first, ""), (second, "dim")], columns))
    assert "".join(lines).replace(" ", "") == (first + second).replace(" ", "")
    assert all(width_of(line) <= columns for line in lines)


@settings(deadline=None)
@given(TEXTS, st.integers(0, 250), st.integers(0, 250), st.integers(4, 120))
def test_cut_is_never_too_wide(text: str, start: int, length: int, columns: int) -> None:
    assert width_of(cut(text, (start, start + length), columns)) <= columns


def test_cut_keeps_what_matters() -> None:
    text = "x" * 100 + " THE MESSAGE " + "y" * 100
    assert cut(text, (101, 112), 40) == "…xxxxxxxxx THE MESSAGE yyyyyyyyyyyyyyyy…"
    assert cut("short", (0, 2), 40) == "short"
    assert cut("Error: " + "y" * 60, (7, 67), 40) == "Error: " + "y" * 32 + "…"
    assert cut("front matters" + "y" * 60, (0, 13), 20) == "front mattersyyyyyy…"


def test_a_number_stays_with_its_unit() -> None:
    assert plain(wrap([("it asked for 2.00 GiB of it", "")], 18)) == ["it asked for ", "2.00 GiB of it"]


def test_wide_characters_take_two_columns() -> None:
    assert width_of("内存") == 4
    assert width_of("e\u0301") == 1
    assert plain(wrap([("内存不足", "")], 4)) == ["内存", "不足"]


@pytest.mark.parametrize("width", [1, 20, 40, 80, 200])
def test_a_command_is_never_broken(width: int) -> None:
    sheet = Sheet(Look(width=width))
    sheet.code("python -c 'print(1)' " + "--flag " * 40, indent=4)
    assert sheet.text() == "    python -c 'print(1)' " + ("--flag " * 40).rstrip() + "\n"


def test_colour_only_where_asked_for() -> None:
    for color, text in ((True, "\x1b[1;31m✗ \x1b[0m\x1b[1mtitle\x1b[0m\n"), (False, "✗ title\n")):
        sheet = Sheet(Look(color=color))
        sheet.prose([("title", "bold")], first=("✗ ", "bad"))
        assert sheet.text() == text


def test_without_unicode() -> None:
    sheet = Sheet(Look(unicode=False))
    sheet.quote("a – b", None, indent=0)
    assert sheet.text() == "| a - b\n"


def test_a_long_quote_ends_with_an_ellipsis() -> None:
    sheet = Sheet(Look(width=60))
    sheet.quote("word " * 100, None, indent=2)
    lines = sheet.text().splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(width_of(line) <= 60 for line in lines)


def test_addresses_are_links_where_terminals_know_them() -> None:
    for links, shown in ((True, "\x1b]8;;https://a.b/c\x1b\\https://a.b/c\x1b]8;;\x1b\\"), (False, "https://a.b/c")):
        sheet = Sheet(Look(links=links))
        sheet.address("https://a.b/c", indent=2)
        assert sheet.text() == f"  {shown}\n"
    for harmful in ("https://a.b/\x1b\\x", "file:///etc/passwd", "https://a.b/ü", "javascript:x"):
        sheet = Sheet(Look(links=True))
        sheet.address(harmful, indent=0)
        assert "\x1b" not in sheet.text()
