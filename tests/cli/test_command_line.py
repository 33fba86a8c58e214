"""The quick parser agrees with the full command line wherever it gives an answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from logsense.cli import app, main
from logsense.cli.command_line import command_first
from logsense.cli.command_line import parse as parse_words
from logsense.cli.commands import COMMAND_NAMES
from logsense.cli.options import OPTIONS, Settings
from logsense.cli.settings import settings_of

FLAGS = [flag for option in OPTIONS for flag in option.flags]
VALUES = ["json", "text", "verdict", "always", "auto", "a.log", "-", "", "DIR", "explain", "a b"]
WORDS = [*FLAGS, *VALUES, *(f"{flag}={value}" for flag in FLAGS for value in ("json", "verdict", "x", ""))]


def parse(arguments: list[str]) -> dict[str, object] | None:
    """Return the options and inputs, or None if something is wrong with them."""
    given, inputs, problems = parse_words(arguments)
    return None if problems else {**given, "inputs": tuple(inputs)}


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ([], {"inputs": ()}),
        (["a.log", "b.log"], {"inputs": ("a.log", "b.log")}),
        (["--format", "json", "a"], {"format": "json", "inputs": ("a",)}),
        (["--format=json", "-q", "-"], {"format": "json", "quiet": True, "inputs": ("-",)}),
        (["a", "-o", "out", "--", "--verbose"], {"output": "out", "inputs": ("a", "--verbose")}),
        (["-bash: python: command not found"], {"inputs": ("-bash: python: command not found",)}),
        (["--rules=my dir", "x"], {"rules": "my dir", "inputs": ("x",)}),
    ],
)
def test_plain_command_lines(arguments: list[str], given: dict[str, object]) -> None:
    assert parse(arguments) == given


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--format"], ["--format", "yaml"], ["--quiet=1"], ["-fjson"], ["-qv"], ["--nope"], ["-f=json"]],
)
def test_the_rest_is_left_to_the_full_command_line(arguments: list[str]) -> None:
    assert parse(arguments) is None


def record(seen: list[dict[str, Any]], given: dict[str, Any]) -> int:
    seen.append(given)
    return 0


@profile(max_examples=150, deadline=None)
@example(["--against", "--exit-code=verdict"])
@given(st.lists(st.sampled_from(WORDS), max_size=5))
def test_both_agree(arguments: list[str]) -> None:
    quick = parse(arguments)
    if quick is None:
        return
    seen: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "explain", lambda given: record(seen, given))
        assert app.run(["explain", *arguments]) == 0
    assert [{**one, "inputs": tuple(one.get("inputs", ()))} for one in seen] == [quick]


def test_every_option_is_a_setting() -> None:
    assert {option.name for option in OPTIONS} | {"inputs", "trusted"} == set(Settings._fields)


def test_settings_of_the_command_line_win() -> None:
    chosen = settings_of({"format": "json"}, {"format": "html", "color": "never"})
    assert chosen == Settings(format="json", color="never")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["causes", "x"], ("causes", ["x"])),
        (["--format", "json", "causes", "x"], ("causes", ["--format", "json", "x"])),
        (["--format", "causes"], (None, ["--format", "causes"])),
        (["-q", "a.log", "causes"], (None, ["-q", "a.log", "causes"])),
        (["--", "causes"], (None, ["--", "causes"])),
        ([], (None, [])),
    ],
)
def test_options_before_the_command(arguments: list[str], found: tuple[str | None, list[str]]) -> None:
    assert command_first(arguments, COMMAND_NAMES) == found


def test_both_know_the_same_commands() -> None:
    import typer

    assert set(COMMAND_NAMES) == set(typer.main.get_command(app.app).commands)  # type: ignore[attr-defined]
