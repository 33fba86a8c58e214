"""`logsense survey`, as a user runs it."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from tests.cli.command_line import own_settings

FAILING = Path(__file__).parents[1] / "failing"
LOGSENSE = [sys.executable, "-m", "logsense", "survey"]
FULL = "OSError: [Errno 28] No space left on device: '/ckpt/x'\n"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "logsense" / "survey.db"


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LOGSENSE, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )  # fmt: skip


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.slow
def test_a_year_of_jobs(tmp_path: Path, state: Path) -> None:
    logs = tmp_path / "logs"
    for name in ("torch--squeeze_target.log", "torch--pool_small.log"):
        (logs / "2026").mkdir(parents=True, exist_ok=True)
        shutil.copy(FAILING / name, logs / "2026")
    for rank in range(4):
        write(logs / "big" / f"node{rank // 2}" / f"rank_{rank}.log", f"step 1 loss 2\n{FULL if rank == 3 else ''}")
    write(logs / "broken.log.gz", "no gzip").write_bytes(b"\x1f\x8b" + bytes(20))
    write(logs / "model.out", "").write_bytes(b"\x7fELF" + bytes(1000))
    write(logs / "requirements.txt", "torch\n")
    with tarfile.open(logs / "old.tar.gz", "w:gz") as archive:
        for member, text in (("x/rank_0.log", "step 1\n"), ("x/rank_1.log", FULL), ("y/train.log", FULL)):
            info = tarfile.TarInfo(member)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    first = call(logs, "--format", "json")
    jobs = {os.path.relpath(job["job"], logs): job for job in json.loads(first.stdout)["jobs"]}
    assert {name: job["cause"] for name, job in jobs.items()} == {
        "2026/torch--pool_small.log": "code.shape-mismatch",
        "2026/torch--squeeze_target.log": "code.shape-mismatch",
        "big": "storage.disk-full",
        "broken.log.gz": None,
        "old.tar.gz/x": "storage.disk-full",
        "old.tar.gz/y/train.log": "storage.disk-full",
    }
    big = jobs["big"]
    assert (big["rank"], big["host"], big["world_size"], big["logs"]) == (3, "node1", 4, 4)
    assert jobs["broken.log.gz"]["outcome"] == "unreadable"
    assert "damaged" in jobs["broken.log.gz"]["problem"]
    again = call(logs, "--format", "json")
    assert again.stdout == first.stdout
    assert "6 unchanged, 0 read" in again.stderr  # and the binary file, of which no row is kept
    write(logs / "broken.log.gz", "step 1\n")
    assert "5 unchanged, 1 read" in call(logs).stderr
    asked = call("--sql", "SELECT cause, count(*) AS n FROM jobs WHERE cause LIKE 'storage%' GROUP BY 1", "-f", "csv")
    assert asked.stdout == "cause,n\nstorage.disk-full,3\n"
    assert state.stat().st_mode & 0o077 == 0


def test_wrong_use(tmp_path: Path) -> None:
    write(tmp_path / "empty" / "x.bin", "")
    for arguments, said in (
        ((), "name the folders, logs or archives"),
        ((tmp_path / "nowhere",), "no such file or directory"),
        ((tmp_path / "empty",), "no logs in"),
        ((tmp_path, "--jobs", "many"), "--jobs takes a number"),
        (("--sql", "SELECT 1"), "holds no survey yet"),
        ((tmp_path, "--format", "markdown"), "markdown"),
    ):
        ended = call(*arguments)
        assert ended.returncode == 2
        assert said in ended.stderr
        assert ended.stdout == ""


def test_settings_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", own_settings(tmp_path, 'exit-code = true\nformat = "markdown"\n'))
    ended = call(write(tmp_path / "train.log", FULL))
    assert ended.returncode == 1
    assert ended.stdout.endswith("1 job: 1 failed\n")


def test_the_extension_selects_the_format(tmp_path: Path) -> None:
    log = write(tmp_path / "train.log", f"NVIDIA Release 25.02 (build 1)\n{FULL}")
    for name, begin in (("a.csv", "job,outcome,cause"), ("a.json", '{\n "schema"'), ("a.html", "<!doctype")):
        assert call(log, "-o", tmp_path / name).returncode == 0
        assert (tmp_path / name).read_text().startswith(begin)
    assert "NVIDIA 25.02" in (tmp_path / "a.csv").read_text()
    assert call(log, "-o", tmp_path / "a.csv", "-f", "text").returncode == 0
    assert (tmp_path / "a.csv").read_text().startswith("Jobs\n")


def test_a_cluster_without_its_library(tmp_path: Path) -> None:
    log = write(tmp_path / "train.log", FULL)
    hidden = "import sys; sys.modules['ray'] = None; from logsense.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", hidden, "survey", str(log), "--engine", "ray"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "logsense: --engine ray needs pip install 'logsense-ml[fleet]'\n"


def test_parquet(tmp_path: Path) -> None:
    log = write(tmp_path / "train.log", FULL)
    hidden = (
        "import sys; sys.modules['pyarrow'] = None; from logsense.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", hidden, "survey", log, "-f", "parquet"], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"--format parquet needs pip install 'logsense-ml[parquet]'" in ended.stderr
    pytest.importorskip("pyarrow")
    piped = subprocess.run([*LOGSENSE, str(log), "--format", "parquet"], capture_output=True, check=True).stdout
    assert piped[:4] == piped[-4:] == b"PAR1"
    assert call(log, "-o", tmp_path / "a.parquet").returncode == 0
    assert (tmp_path / "a.parquet").read_bytes() == piped


def test_a_file_of_ones_own(tmp_path: Path, state: Path) -> None:
    log, base = write(tmp_path / "train.log", FULL), tmp_path / "own.db"
    ended = call(log, "--database", base, "--exit-code", "--output", tmp_path / "out.html", "-f", "html")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "storage.disk-full" in (tmp_path / "out.html").read_text()
    assert base.exists()
    assert not state.exists()
    assert "can't use" in call(log, "--database", log).stderr
    assert log.read_text() == FULL


def test_where_nothing_can_be_kept(tmp_path: Path, state: Path) -> None:
    log = write(tmp_path / "train.log", FULL)
    write(state, "no database at all " * 100)
    ended = call(log)
    assert "reading everything again" in ended.stderr
    assert "storage.disk-full" in ended.stdout
    assert "1 unchanged, 0 read" in call(log).stderr
    state.unlink()
    state.mkdir()
    (state.parent / "survey.db.damaged").unlink()
    (state.parent / "survey.db.damaged").mkdir()
    write(state.parent / "survey.db.damaged" / "x", "")
    ended = call(log)
    assert "results are not stored" in ended.stderr
    assert "storage.disk-full" in ended.stdout


def test_redacted(tmp_path: Path) -> None:
    for job in ("a", "b"):
        write(tmp_path / job / "node7" / "rank_0.log", f"mail to jane.doe@example.com\n{FULL}")
        write(tmp_path / job / "node7" / "rank_1.log", "step 1\n")
    for form in ("text", "json"):
        told = call(tmp_path, "--redact", "-f", form).stdout
        assert "node7" not in told
        assert "host-1" in told
    assert "can't be combined with --redact" in call("--sql", "SELECT 1", "--redact").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
@pytest.mark.slow
def test_ctrl_c_keeps_what_was_done(tmp_path: Path, state: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(400):
        write(logs / f"job-{number}" / "train.log", f"step {number}\n{FULL}" * 20)
    process = subprocess.Popen(
        [*LOGSENSE, str(logs), "-f", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while time.monotonic() < until and _kept(state) == 0:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the next survey resumes here" in err
    assert "Traceback" not in err
    done = len(json.loads(out)["jobs"])
    assert 50 <= done < 400
    assert _kept(state) == done


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
@pytest.mark.slow
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    for number in range(400):
        write(tmp_path / f"job-{number}" / "train.log", f"step {number}\n{FULL}" * 20)
    process = subprocess.Popen(
        [*LOGSENSE, str(tmp_path), "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    children: set[Path] = set()
    until = time.monotonic() + 60
    while len(children) < 2 and time.monotonic() < until:
        time.sleep(0.05)
        children = {Path("/proc", pid) for pid in _workers_of(process.pid)}
    process.kill()
    process.wait()
    assert len(children) == 2
    while any(_runs(child) for child in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_runs(child) for child in children)


def _workers_of(pid: int) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and b"spawn_main" in (path.parent / "cmdline").read_bytes():
                found.append(path.parent.name)
        except (OSError, IndexError):  # noqa: PERF203 - it has ended
            continue
    return found


def _runs(child: Path) -> bool:
    try:
        return (child / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _kept(path: Path) -> int:
    if not path.exists():
        return 0
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return int(base.execute("SELECT count(*) FROM jobs").fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        base.close()
