"""Command lines in the documentation name commands and options that are there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from logsense.cli.commands import COMMAND_NAMES, COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
COMMON = {"--help", "-h", "--version"}


def _lines(page: str) -> Iterator[str]:
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"^ *```(?:sh|console)\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
        for line in block.split("\n"):
            # What stands behind a comment's mark, another program's pipe or -- is not ours.
            found = re.search(r"(?:^|\| |\$ |\()logsense( [^#|>]*)?", line.strip().split("  #")[0])
            if found and found[1]:
                yield found[1].split(" -- ")[0].strip()


@pytest.mark.parametrize("page", PAGES)
def test_options_are_there(page: str) -> None:
    by_path = {command.path: {flag for option in command.options for flag in option.flags} for command in COMMANDS}
    for line in _lines(page):
        words = line.split()
        first = next((word for word in words if not word.startswith("-")), "")
        path = " ".join(words[:2]) if first == "rules" else first if first in COMMAND_NAMES else "explain"
        assert path in by_path, f"{page}: logsense {line}"
        for word in words:
            flag = re.match(r"--?[a-z][\w-]*", word)
            if flag:
                assert flag[0] in by_path[path] | COMMON, f"{page}: logsense {line}"


def test_the_test_reads_something() -> None:
    assert sum(1 for page in PAGES for _ in _lines(page)) > 30


def _shown() -> Iterator[tuple[str, str, str]]:
    """Commands on logs that ship with logsense: the page, the command, and what the page shows of its output."""
    for page in PAGES:
        text = (ROOT / page).read_text("utf-8")
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            for found in re.finditer(
                r"^(?:\$ )?logsense ([^#|>\n]*examples/\S+\.log)[^\n]*\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE
            ):
                yield page, found[1], found[2] if block.startswith("$ ") else ""


@pytest.mark.parametrize(("page", "command", "output"), list(_shown()))
def test_commands_on_the_examples_run(page: str, command: str, output: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "logsense", *shlex.split(command), "--color", "never"],
        capture_output=True, check=False, cwd=ROOT, env={**os.environ, "COLUMNS": "88", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    # Percentages move with the catalog.
    said, shown = (re.sub(r"\d+ %", "… %", one) for one in (done.stdout.decode(), output))
    assert said.startswith(shown.rstrip("\n")), page


def test_extras_are_there() -> None:
    known = set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE))
    named = {
        (page, one)
        for page in PAGES
        for extras in re.findall(r"logsense-ml\[([\w,]+)\]", (ROOT / page).read_text("utf-8"))
        for one in extras.split(",")
    }
    assert named
    assert {(page, one) for page, one in named if one not in known} == set()


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/limits.md"])
def test_tests_that_are_named_exist(page: str) -> None:
    names = set(re.findall(r"`(test_\w+)`", (ROOT / page).read_text("utf-8")))
    files = set(re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / page).read_text("utf-8")))
    known = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    assert len(names) > 10
    assert names <= known
    assert all((ROOT / path).is_file() for path in files)
