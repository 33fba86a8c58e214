"""`logsense report`, and what asks for the newest log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.cli.newest import newest_job
from tests.cli.command_line import call, spawn
from tests.cli.test_sharing import LOG, SECRETS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    here = tmp_path / "here"
    here.mkdir()
    return here


def test_nothing_to_report_on(folder: Path) -> None:
    done = call("report", cwd=folder)
    assert done.returncode == 2
    assert "name the log to report on" in done.stderr
    assert "no log in this folder" in call("--newest", cwd=folder).stderr
    refused = call("report", "--format", "json", cwd=folder)
    assert refused.returncode == 2
    assert "'json' is not one of 'markdown', 'html', 'prompt'" in refused.stderr


@pytest.mark.parametrize("format", ["markdown", "html", "prompt"])
def test_a_log(format: str, folder: Path) -> None:
    (folder / "train.log").write_text(LOG)
    done = call("report", "train.log", "--format", format, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one for one in SECRETS if one in done.stdout] == []
    for part in (
        "shard.bin",
        "token-1",
        "host-1",
        "user-1",
        "torch 2.5.1+cu124, cuDNN version 9.1.0.70",
        "7 │ FileNotFound",
    ):
        assert part in done.stdout


def test_logs_of_different_jobs(folder: Path) -> None:
    (folder / "train.log").write_text(LOG)
    (folder / "other.log").write_text("Saved checkpoint to /data/ckpt/step_1000.pt\n")
    done = call("report", "other.log", "train.log", cwd=folder)
    assert "2 logs of what look like 2 jobs; this explains train.log" in done.stderr
    assert "step_1000" not in done.stdout


def test_standard_input_and_the_machine(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "logsense", "report", "-", "--live", "-o", "out.md"],
        input=LOG, capture_output=True, text=True, timeout=60, check=False, cwd=folder,
        env={**os.environ, "NCCL_DEBUG": "INFO", "CUDA_CACHE_PATH": "/home/alovelace/cache"},
    )  # fmt: skip
    assert done.stdout == ""
    assert "review it before you publish it" in done.stderr
    text = (folder / "out.md").read_text("utf-8")
    assert [one for one in SECRETS if one in text] == []
    assert "> 7 │ FileNotFoundError" in text
    assert "### Environment" in text
    assert "**Python:** " in text
    assert "NCCL_DEBUG:** INFO" in text
    assert "/home/\\<user-1\\>/cache" in text


def test_the_newest_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert newest_job(str(tmp_path)) is None
    assert newest_job(str(tmp_path / "nowhere")) is None
    for age, name in enumerate(
        [
            "runs/3/slurm-77.out",
            "old.log",
            "a/b/c/d/e/too-deep.log",
            ".hidden/x.log",
            "empty.log",
            "train.py",
            "dmesg.log",
        ]
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if name == "empty.log" else "x")
        os.utime(path, (1000 - age, 1000 - age))
    monkeypatch.chdir(tmp_path)
    log = "runs/3/slurm-77.out"
    assert newest_job() == (log, (log,), 1000)
    (tmp_path / "runs/3/slurm-77.out").unlink()
    assert newest_job() == ("old.log", ("old.log",), 999)
    for rank in range(3):
        (tmp_path / f"rank{rank}.log").write_text("x")
    (tmp_path / "rank1.log.1").write_text("x")
    os.utime(tmp_path / "rank1.log.1", (1000, 1000))
    job = newest_job()
    assert job
    assert job[:2] == ("rank*.log", ("rank0.log", "rank1.log", "rank2.log"))


def test_what_ran_last(folder: Path) -> None:
    (folder / "old.log").write_text("x\n")
    os.utime(folder / "old.log", (1000, 1000))
    program = (
        "import sys; print('/home/alovelace/x'); raise FileNotFoundError(2, 'No such file or directory', sys.argv[1])"
    )
    spawn("run", "--quiet", sys.executable, "-c", program, "/data/first.bin", cwd=folder)
    done = call("report", cwd=folder)
    assert "on the last recorded run" in done.stderr
    assert "/data/first.bin doesn't exist" in done.stdout
    assert "### The run" in done.stdout
    assert "**ended:** status 1" in done.stdout
    assert "alovelace" not in done.stdout
    assert "earlier attempt" not in done.stdout
    spawn("run", "--quiet", sys.executable, "-c", program, "/data/second.bin", cwd=folder)
    again = call("report", cwd=folder).stdout
    assert "/data/second.bin doesn't exist" in again
    [tried] = [line for line in again.splitlines() if "earlier attempt 1" in line]
    assert "/data/first.bin" in tried
    assert "status 1)" in tried
    (folder / "new.log").write_text(LOG)
    os.utime(folder / "new.log", (4_000_000_000, 4_000_000_000))
    done = call("report", cwd=folder)
    assert "on the newest log, new.log" in done.stderr
    assert "shard.bin" in done.stdout


def test_all_ranks_of_the_newest_log(folder: Path) -> None:
    (folder / "rank0.log").write_text(LOG)
    (folder / "rank1.log").write_text(
        "[rank1]: torch.distributed.DistBackendError: NCCL error: remote process exited\n"
    )
    done = call("report", cwd=folder)
    assert "on the newest logs, rank*.log" in done.stderr
    assert "shard.bin doesn't exist" in done.stdout
    done = call("--newest", cwd=folder)
    assert done.stderr == "logsense: explaining the newest logs, rank*.log\n"
    assert "Rank 0: " in done.stdout


def test_the_newest_log_is_explained(folder: Path) -> None:
    (folder / "logs").mkdir()
    (folder / "logs" / "train.log").write_text(LOG)
    done = call("--newest", cwd=folder)
    assert "shard.bin doesn't exist" in done.stdout
    assert done.stderr == "logsense: explaining the newest log, logs/train.log\n"
    assert "shard.bin doesn't exist" in call("explain", "--newest", "logs", cwd=folder).stdout
    assert "--newest takes one folder" in call("--newest", "a", "b", cwd=folder).stderr


def test_a_prompt_holds_the_log_around(folder: Path) -> None:
    (folder / "train.log").write_text(LOG)
    done = call("train.log", "--format", "prompt", cwd=folder)
    assert [one for one in SECRETS if one in done.stdout] == []
    assert "  4 │ Traceback (most recent call last):" in done.stdout
