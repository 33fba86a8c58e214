"""How command lines are parsed: as typer does, which makes the completion from the same table."""

from __future__ import annotations

import pytest
import typer
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from logsense.cli import completion
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
        (
            ["-qv", "-fjson", "-voout"],
            {"quiet": True, "verbose": True, "format": "json", "output": "out", "inputs": ()},
        ),
    ],
)
def test_plain_command_lines(arguments: list[str], given: dict[str, object]) -> None:
    assert parse(arguments) == given


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--format"], ["--format", "yaml"], ["--quiet=1"], ["-fyaml"], ["-qz"], ["--nope"], ["-f=json"]],
)
def test_wrong_options(arguments: list[str]) -> None:
    assert parse(arguments) is None


def by_typer(arguments: list[str]) -> dict[str, object]:
    command = typer.main.get_command(completion.app).commands["explain"]  # type: ignore[attr-defined]
    found = command.make_context("explain", list(arguments)).params
    known = {name: value for name, value in found.items() if value is not None}
    return known | {"inputs": tuple(found["inputs"] or ())}


@profile(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([word for word in WORDS if not word.startswith("--exit-code=")]), max_size=5))
def test_typer_agrees(arguments: list[str]) -> None:
    ours = parse(arguments)
    if ours is not None:
        assert by_typer(arguments) == ours


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
    assert set(COMMAND_NAMES) == set(typer.main.get_command(completion.app).commands)  # type: ignore[attr-defined]
