"""The man page says what the program says."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("man_page", ROOT / "scripts" / "man_page.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_up_to_date() -> None:
    shown = (ROOT / "docs" / "logsense.1").read_text("utf-8")
    assert shown == _script().page(), "run python scripts/man_page.py"
    assert _script().main(["--check"]) == 0


def test_it_has_every_command_and_option() -> None:
    from logsense.cli.app import KNOWN
    from logsense.cli.main import COMMANDS

    text = (ROOT / "docs" / "logsense.1").read_text("utf-8").replace("\\-", "-")
    assert {known.path.split()[0] for known in KNOWN} == set(COMMANDS)
    for known in KNOWN:
        assert f'.SS "logsense {known.path} ' in text
    assert "--exit-code\\fR[=\\fIfailure|verdict\\fR]" in text


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_troff_has_nothing_to_say_against_it() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", str(ROOT / "docs" / "logsense.1")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert "say why a training run died" in done.stdout
