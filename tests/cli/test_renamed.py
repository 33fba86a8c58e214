"""Old names go on for a while, and say what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.cli import renamed
from logsense.cli.commands import COMMAND_NAMES, COMMANDS
from logsense.cli.options import OPTIONS
from logsense.cli.renamed import with_new_names
from logsense.cli.settings import stored_settings

FLAGS = {"--colour": ("--color", "2.0")}
MOVED = {"explane": ("explain", "2.0")}
Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "new", "lines"),
    [
        (["--colour", "never", "a.log"], ["--color", "never", "a.log"], 1),
        (["explane", "a.log", "--colour=never"], ["explain", "a.log", "--color=never"], 2),
        (["a.log", "--", "--colour"], ["a.log", "--", "--colour"], 0),
        (["run", "--colour=never", "job", "--colour"], ["run", "--color=never", "job", "--colour"], 1),
        (["a.log", "explane"], ["a.log", "explane"], 0),
        ([], [], 0),
    ],
)
def test_words(words: list[str], new: list[str], lines: int, capsys: Out) -> None:
    assert with_new_names(words, FLAGS, MOVED) == new
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == lines
    if lines == 1:
        assert err == "logsense: --colour is now called --color; version 2.0 drops the old name\n"


def test_settings(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.logsense]\ncolour = "never"\n')
    assert stored_settings(str(tmp_path), {"colour": ("color", "2.0")})["color"] == "never"
    assert capsys.readouterr().err == "logsense: colour is now called color; version 2.0 drops the old name\n"


def test_old_names_are_free_and_new_ones_exist() -> None:
    flags = {flag for command in COMMANDS for option in command.options for flag in option.flags}
    names = {option.flags[0][2:] for option in OPTIONS}
    for table, taken in ((renamed.FLAGS, flags), (renamed.SETTINGS, names), (renamed.COMMANDS, set(COMMAND_NAMES))):
        for old, (new, version) in table.items():
            assert old not in taken
            assert new in taken
            assert version.replace(".", "").isdecimal()
