"""`logsense last` and `logsense runs`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command_line import Done, call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
LIMIT_S = 300  # on a busy machine, processes take their time
MISSING = "FileNotFoundError: [Errno 2] No such file or directory: '/data/{}'\n"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "logsense" / "runs"


def _call(*arguments: str) -> Done:
    return call(*arguments, cwd=Path.cwd())


def _kept(state: Path, second: int, output: str = "", status: int | None = 0, signal: int | None = None) -> Path:
    """A run that was recorded, began in this second, and ended."""
    run = state / f"20260101T0000{second:02d}Z-1-train.py"
    (run / "output").mkdir(parents=True)
    (run / "output" / "0-1").write_text(output)
    (run / "run.json").write_text(json.dumps({"at_s": 1767225600.0 + second, "pid": 1, "command": ["train.py"]}))
    (run / "end.json").write_text(json.dumps({"status": status, "signal": signal, "after_s": 1.0}))
    return run


def _record(program: str) -> None:
    command = [sys.executable, "-m", "logsense", "run", sys.executable, "-c", program]
    subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)


def test_nothing_yet(state: Path) -> None:
    assert _call("last").returncode == 2
    assert "no run is recorded yet" in _call("last").stderr
    assert "No run is recorded yet" in _call("runs").stdout


def test_the_newest_and_an_older_one(state: Path) -> None:
    older = _kept(state, 1, MISSING.format("first.bin"), status=1)
    _kept(state, 2, MISSING.format("second.bin"), status=1)
    assert "/data/second.bin doesn't exist" in _call("last").stdout
    assert "/data/first.bin doesn't exist" in _call("last", "2").stdout
    report = json.loads(_call("last", older.name, "--format", "json").stdout)
    assert report["machine"]["ended"] == "with exit status 1"
    assert report["diagnoses"][0]["evidence"][0]["source"] == "output"
    assert "no single run matches 'nope'" in _call("last", "nope").stderr


def test_a_run_as_it_is_recorded(state: Path) -> None:
    _record("raise FileNotFoundError(2, 'No such file or directory', '/data/x.bin')")
    report = json.loads(_call("last", "--format", "json").stdout)
    assert report["machine"]["looked"].startswith("recorded on ")
    assert report["machine"]["ended"] == "with exit status 1"
    assert "/data/x.bin" in report["diagnoses"][0]["title"]


def test_the_list(state: Path) -> None:
    _kept(state, 1)
    _kept(state, 2, status=None, signal=11)
    listed = json.loads(_call("runs", "--format", "json").stdout)["runs"]
    assert [(one["status"], one["signal"]) for one in listed] == [(None, 11), (0, None)]
    table = _call("runs").stdout
    assert "signal 11" in table
    assert "status 0" in table


def test_throwing_away(state: Path) -> None:
    for second in range(3):
        _kept(state, second)
    name = min(path.name for path in state.iterdir())
    assert f"deleted {name}" in _call("runs", "--delete", name).stderr
    assert "deleted 1 run" in _call("runs", "--keep", "1").stderr
    assert len(list(state.iterdir())) == 1
    assert "deleted 0 runs" in _call("runs", "--max-size", "1 KiB").stderr  # the newest always stays
    kept = "logsense: deleted 0 runs; the newest stays (logsense runs --delete 1 deletes it)\n"
    assert _call("runs", "--keep", "0").stderr == kept
    assert _call("runs", "--keep", "some").returncode == 2
    assert _call("runs", "--keep", "9" * 5000).returncode == 2
    assert _call("runs", "--delete", "9" * 5000).returncode == 2
    assert _call("runs", "--delete", "nope").returncode == 2


def test_old_runs_go_by_themselves(state: Path) -> None:
    for number in range(52):
        run = state / f"20200101T0000{number:02d}Z-1-old"
        run.mkdir(parents=True)
        (run / "run.json").write_text('{"at_s": 1, "pid": 0, "command": ["x"]}')
        (run / "end.json").write_text('{"status": 0}')
    sampled = f"glob.glob({str(state / '*' / 'samples-*')!r})"  # whoever takes samples throws away in the end
    _record(f"import glob, time\nwhile not {sampled}: time.sleep(0.05)")
    end = time.monotonic() + LIMIT_S
    while len(list(state.iterdir())) > 50 and time.monotonic() < end:
        time.sleep(0.1)
    names = sorted(path.name for path in state.iterdir())
    assert len(names) == 50
    assert names[0].startswith("20200101T000003Z")
    assert not names[-1].startswith("2020")


@pytest.mark.parametrize("damage", ["run.json", "end.json", "samples-0a.jsonl"])
def test_a_folder_that_is_damaged(state: Path, damage: str) -> None:
    run = _kept(state, 1, MISSING.format("x.bin"), status=1)
    (run / "samples-0a.jsonl").write_text('{"at_s": 1.0, "after_s": 1.0}\n')
    path = run / damage
    path.write_bytes(path.read_bytes()[:7] + b"\xff\x00")
    done = _call("last")
    assert "Traceback" not in done.stderr
    if damage == "run.json":
        assert "can't be read" in done.stderr
    else:
        assert "/data/x.bin doesn't exist" in done.stdout
    assert _call("runs").returncode == 0
