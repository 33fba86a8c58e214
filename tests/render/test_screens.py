"""A dozen typical reports as each format shows them. `python scripts/screens.py` writes them anew; read the difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.render.layout import width_of
from tests.scripts import script

program = script("screens")
SCREENS: dict[Path, str] = dict(program.screens())


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.name)
def test_the_screen_is_the_same(path: Path) -> None:
    assert path.read_text("utf-8") == SCREENS[path], "if it is better now, run python scripts/screens.py"


def test_nothing_else_is_kept() -> None:
    assert {path for path in program.FOLDER.iterdir() if path.suffix != ".json"} == set(SCREENS)


@pytest.mark.parametrize("path", [path for path in SCREENS if path.suffix == ".txt"], ids=lambda path: path.stem)
def test_a_screen_fits(path: Path) -> None:
    screens = dict(one.split("\n", 1) for one in SCREENS[path].removeprefix("=== ").split("\n=== "))
    lines = screens["80 columns"].splitlines()
    assert len(lines) <= 22
    assert len(screens["80 columns of ASCII"].encode("ascii").splitlines()) <= 22
    for line in lines:
        assert width_of(line) <= 80 or line.startswith("       "), "only a command is wider than the terminal"
