"""`logsense last` and `logsense runs`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
LOGSENSE = [sys.executable, "-m", "logsense"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "logsense" / "runs"


def _call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*LOGSENSE, *arguments], capture_output=True, text=True, timeout=60, check=False)


def _record(program: str) -> None:
    _call("run", sys.executable, "-c", program)


def test_nothing_yet(state: Path) -> None:
    assert _call("last").returncode == 2
    assert "no run is recorded yet" in _call("last").stderr
    assert "No run is recorded yet" in _call("runs").stdout


def test_the_newest_and_an_older_one(state: Path) -> None:
    _record("raise FileNotFoundError(2, 'No such file or directory', '/data/first.bin')")
    _record("raise FileNotFoundError(2, 'No such file or directory', '/data/second.bin')")
    assert "/data/second.bin doesn't exist" in _call("last").stdout
    names = sorted(path.name for path in state.iterdir())
    found = _call("last", "2") if names[0] < names[1] else _call("last", "1")
    assert ".bin doesn't exist" in found.stdout
    report = json.loads(_call("last", names[0], "--format", "json").stdout)
    assert report["machine"]["ended"] == "with exit status 1"
    assert report["machine"]["looked"].startswith("recorded on ")
    assert report["diagnoses"][0]["evidence"][0]["source"] == "output"
    assert "no single run matches 'nope'" in _call("last", "nope").stderr


def test_the_list(state: Path) -> None:
    _record("pass")
    _record("import os; os.kill(os.getpid(), 11)")
    listed = json.loads(_call("runs", "--format", "json").stdout)["runs"]
    assert sorted((one["status"], one["signal"]) for one in listed if one["signal"] is None) == [(0, None)]
    assert [one["signal"] for one in listed if one["signal"]] == [11]
    table = _call("runs").stdout
    assert "signal 11" in table
    assert "status 0" in table


def test_throwing_away(state: Path) -> None:
    for _ in range(3):
        _record("pass")
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
    end = time.monotonic() + 30
    while len(list(state.iterdir())) > 50 and time.monotonic() < end:
        time.sleep(0.1)
    names = sorted(path.name for path in state.iterdir())
    assert len(names) == 50
    assert names[0].startswith("20200101T000003Z")
    assert not names[-1].startswith("2020")


@pytest.mark.parametrize("damage", ["run.json", "end.json", "samples-0a.jsonl"])
def test_a_folder_that_is_damaged(state: Path, damage: str) -> None:
    sampled = f"glob.glob({str(state / '*' / 'samples-*')!r})"
    failure = "raise FileNotFoundError(2, 'No such file or directory', '/data/x.bin')"
    _record(f"import glob, time\nwhile not {sampled}: time.sleep(0.05)\n{failure}")
    [run] = state.iterdir()
    path = run / damage
    path.write_bytes(path.read_bytes()[:7] + b"\xff\x00")
    done = _call("last")
    assert "Traceback" not in done.stderr
    if damage == "run.json":
        assert "can't be read" in done.stderr
    else:
        assert "/data/x.bin doesn't exist" in done.stdout
    assert _call("runs").returncode == 0
