"""Systems without POSIX: every command works or says what is missing (`tests/non_posix.py` is such a system)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOG = ROOT / "tests" / "failing" / "torch--key_error.log"
SAYS = "KeyError: 'lr'"


def abroad(*arguments: str | Path, tmp_path: Path, text: bytes = b"") -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "COV_"))}
    env |= {"XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "non_posix.py"), *arguments],
        input=text.decode(), capture_output=True, text=True, env=env, cwd=ROOT, timeout=40, check=False,
    )  # fmt: skip
    assert "Traceback (most recent call last)" not in done.stderr
    assert "internal error of logsense" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((LOG,), SAYS),
        (("-",), SAYS),
        ((LOG, "--live"), SAYS),
        (("tests/ranks/7-16",), ""),
        (("watch", LOG), SAYS),
        (("report", LOG, "--live"), SAYS),
        (("survey", "tests/ranks", "--jobs", "1"), "Jobs in"),
        (("causes",), "gpu-memory.fragmentation"),
        (("gpus",), ""),
        (("doctor", "--quick"), "Driver"),
        (("runs",), "No run is recorded yet"),
        (("completion", "bash"), "complete"),
    ],
    ids=lambda value: " ".join(map(str, value[:1])) if isinstance(value, tuple) else "",
)
def test_every_command_works(arguments: tuple[str | Path, ...], says: str, tmp_path: Path) -> None:
    done = abroad(*arguments, tmp_path=tmp_path, text=LOG.read_bytes())
    assert done.returncode == 0, done.stderr
    assert says in done.stdout


def test_the_pipe(tmp_path: Path) -> None:
    done = abroad(tmp_path=tmp_path, text=LOG.read_bytes())
    assert (done.returncode, done.stdout) == (0, LOG.read_text())
    assert SAYS in done.stderr


def test_a_run_is_recorded_and_explained(tmp_path: Path) -> None:
    code = f"import sys, time; print(open({str(LOG)!r}).read()); time.sleep(0.5); sys.exit(3)"
    done = abroad("run", sys.executable, "-c", code, tmp_path=tmp_path)
    assert done.returncode == 3
    assert "KeyError" in done.stdout
    assert SAYS in done.stderr
    again = abroad("last", "--format", "json", tmp_path=tmp_path)
    assert "with exit status 3" in again.stdout
    assert "status 3" in abroad("runs", tmp_path=tmp_path).stdout
    end_s = time.monotonic() + 30
    while not any(path.stat().st_size for path in (tmp_path / "state").rglob("*.jsonl")):
        assert time.monotonic() < end_s, "no sample was ever written"
        time.sleep(0.1)
