"""`logsense watch`, and silence under `logsense run`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from logsense.cli.options import Settings
from logsense.cli.watch import Watcher
from tests.cli.command_line import call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
LOGSENSE = [sys.executable, "-m", "logsense"]
FAILURE = "ModuleNotFoundError: No module named 'flash_attn'\n"


@pytest.fixture
def watches() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def _watch(watches: list[subprocess.Popen[str]], *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [*LOGSENSE, "watch", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    watches.append(process)
    return process


def _append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


@pytest.mark.slow
def test_a_failure_is_explained_when_it_comes(tmp_path: Path, watches: list[subprocess.Popen[str]]) -> None:
    path = tmp_path / "train.log"
    process = _watch(watches, str(path), "--exit-code")
    time.sleep(0.7)
    _append(path, "step 1 loss 2.0\nstep 2 loss 1.9\n")
    time.sleep(0.7)
    assert process.poll() is None
    _append(path, FAILURE)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "flash_attn is not installed" in said
    assert str(path) in said


@pytest.mark.slow
def test_a_good_end_ends_it(tmp_path: Path, watches: list[subprocess.Popen[str]]) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "{'train_runtime': 12.5, 'train_samples_per_second': 4.0, 'train_loss': 0.5, 'epoch': 3.0}\nTraining completed.\n"
    )
    process = _watch(watches, str(path))
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "completed" in said


@pytest.mark.slow
def test_a_stall_is_told_with_what_the_writer_does(tmp_path: Path, watches: list[subprocess.Popen[str]]) -> None:
    path = tmp_path / "train.log"
    with path.open("w") as file:
        writer = subprocess.Popen(
            [sys.executable, "-u", "-c", "import time\nprint('step 1 loss 2.0')\ntime.sleep(60)"], stdout=file
        )
    try:
        process = _watch(watches, str(path), "--stall-after", "1s")
        assert process.stdout
        first = process.stdout.readline()
        assert first.startswith("! No output for ")
        told = "".join(process.stdout.readline() for _ in range(1))
        assert str(writer.pid) in told
        assert "sleeping" in told
        assert process.poll() is None
    finally:
        writer.kill()
        writer.wait()


def test_the_rank_that_fell_silent_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock: SimpleNamespace = SimpleNamespace(now_s=0.0, monotonic=lambda: clock.now_s)
    monkeypatch.setattr("logsense.cli.watch.time", clock)
    paths = [tmp_path / f"rank_{rank}.log" for rank in range(3)]
    watcher = Watcher([str(path) for path in paths], Settings(), 1.5)
    for step in range(1, 8):
        clock.now_s += 0.5
        for path in paths if step == 1 else (paths[0], paths[2]):
            _append(path, f"step {step} loss 1.9\n")
        assert watcher.turn(clock.now_s) is None
    assert "fell silent" not in capsys.readouterr().err
    clock.now_s += 1.6
    assert watcher.turn(clock.now_s) is None
    assert f"{paths[1]} fell silent first, 3 s before the next one" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--nope"]])
def test_wrong_use(arguments: list[str], tmp_path: Path) -> None:
    done = call("watch", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--nope"], ["--stall-after", "soon"], ["--format", "prose"]])
def test_a_wrong_option_is_left_out(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(FAILURE)
    done = call("watch", *options, "train.log", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("logsense: ignored: ")
    assert "flash_attn is not installed" in done.stdout


@pytest.mark.slow
def test_a_job_that_fails_beside_another(tmp_path: Path, watches: list[subprocess.Popen[str]]) -> None:
    """Nothing of one gets into the answer for the other, which goes on printing meanwhile."""
    failed, other = tmp_path / "failed.log", tmp_path / "other.log"
    failed.write_text(FAILURE)
    process = _watch(watches, str(failed), str(other))
    while process.poll() is None:
        _append(other, "Saved checkpoint to /data/ckpt/step_1000.pt\nstep 1000 loss 2.0\n")
        time.sleep(0.2)
    said, _ = process.communicate(timeout=30)
    assert "flash_attn is not installed" in said
    assert "step_1000" not in said


@pytest.mark.slow
def test_silence_under_run(tmp_path: Path) -> None:
    program = "import time; print('step 1 loss 2.0'); time.sleep(12); print('step 2')"
    done = subprocess.run(
        [*LOGSENSE, "run", "--stall-after", "1s", sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (0, "step 1 loss 2.0\nstep 2\n")
    assert done.stderr.count("No output for") == 1
    assert "sleeping" in done.stderr


def test_a_name_that_does_not_exist_is_waited_for(tmp_path: Path, watches: list[subprocess.Popen[str]]) -> None:
    (tmp_path / "train.log").write_text("step 1\n")
    process = _watch(watches, str(tmp_path / "trian.log"))
    assert process.stderr
    said = process.stderr.readline()
    assert said.startswith(f"logsense: waiting for {tmp_path / 'trian.log'}, which does not exist yet")
    assert said.endswith(f"did you mean {tmp_path / 'train.log'}?\n")
