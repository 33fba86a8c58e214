"""The exit status tells a script whether there was a failure, or whether to run again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from logsense.cli.conclude import status_of
from logsense.cli.options import Settings
from logsense.model.report import Report, Rerun
from tests.cli.command_line import call, own_settings, spawn
from tests.cli.test_sharing import LOG

FINE = "step 1 loss 0.5\n"


@pytest.mark.parametrize(
    ("outcome", "verdict", "wish", "status"),
    [
        ("failed", "fix-first", False, 0),
        ("failed", "fix-first", True, 1),
        ("failed", "retry", True, 1),
        ("failed", "retry", "failure", 1),
        ("failed", "fix-first", "verdict", 1),
        ("failed", "retry", "verdict", 75),
        ("failed", "other-node", "verdict", 76),
        ("failed", None, "verdict", 1),
        ("completed", None, "verdict", 0),
        ("running", "retry", "verdict", 0),
        ("unknown", None, True, 0),
    ],
)
def test_status(outcome: str, verdict: str | None, wish: bool | str, status: int) -> None:
    report = Report(outcome, rerun=Rerun(verdict, "") if verdict else None)
    assert status_of(report, Settings(exit_code=wish)) == status


@pytest.mark.parametrize("command", [[], ["explain"], ["explain", "-fjson"]])
def test_on_the_command_line(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(LOG)
    (tmp_path / "fine.log").write_text(FINE)
    for log, status in (("bad.log", 1), ("fine.log", 0)):
        assert call(*command, log, "--exit-code=verdict", "-q", cwd=tmp_path).returncode == status
    assert call(*command, "bad.log", "--exit-code=failure", "-q", cwd=tmp_path).returncode == 1
    assert call(*command, "bad.log", "--exit-code=nonsense", cwd=tmp_path).returncode == 2
    assert call(*command, "bad.log", "--exit-code", cwd=tmp_path).returncode == 1


def test_in_settings(tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(LOG)
    for value, status in (('"verdict"', 1), ("true", 1), ("false", 0), ('"nonsense"', 2)):
        done = call("bad.log", cwd=tmp_path, XDG_CONFIG_HOME=own_settings(tmp_path, f"exit-code = {value}\n"))
        assert done.returncode == status, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("pass", 0),
        ("raise FileNotFoundError(2, 'No such file or directory', '/x/y')", 1),
        (
            "import os; print('NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.', flush=True); os._exit(3)",
            76,
        ),
    ],
)
def test_run_ends_with_the_verdict(program: str, status: int, tmp_path: Path) -> None:
    words = ["run", "--no-record", "--quiet", "--exit-code=verdict", "--", sys.executable, "-c", program]
    assert spawn(*words, cwd=tmp_path).returncode == status
    if status == 76:
        words.remove("--exit-code=verdict")
        assert spawn(*words, cwd=tmp_path).returncode == 3


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_a_wrong_one_leaves_the_job_its_own(tmp_path: Path) -> None:
    done = spawn("run", "--no-record", "--quiet", "--exit-code=always", "--", "sh", "-c", "exit 3", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith("logsense: ignored: --exit-code takes no value, or one of verdict after =\n")
