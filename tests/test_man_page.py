"""The man page says what the program says."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.scripts import ROOT, script


def test_it_is_up_to_date() -> None:
    shown = (ROOT / "docs" / "logsense.1").read_text("utf-8")
    assert shown == script("man_page").page(), "run python scripts/man_page.py"
    assert script("man_page").main(["--check"]) == 0


def test_it_has_every_command_and_option() -> None:
    from logsense.cli.commands import COMMAND_NAMES, COMMANDS

    text = (ROOT / "docs" / "logsense.1").read_text("utf-8").replace("\\-", "-")
    assert {command.path.split()[0] for command in COMMANDS} == set(COMMAND_NAMES)
    for command in COMMANDS:
        assert f'.SS "logsense {command.path} ' in text
    assert "--exit-code\\fR[=\\fIfailure|verdict\\fR]" in text


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_troff_has_nothing_to_say_against_it() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", str(ROOT / "docs" / "logsense.1")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert "explain why a training run failed" in done.stdout
