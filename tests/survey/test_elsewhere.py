"""A survey of logs on other machines: a file system in memory, and a real HTTP server on loopback."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from logsense.sources.remote import files_at
from logsense.survey.find import find_tasks
from logsense.survey.pool import read_tasks
from logsense.util.errors import InputError
from tests.sources.test_remote import server

fsspec = pytest.importorskip("fsspec")
FULL = b"OSError: [Errno 28] No space left on device: '/ckpt/x'\n"
__all__ = ["server"]  # a fixture


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("j/train.log", FULL)
    return out.getvalue()


@pytest.fixture
def bucket() -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for name, data in {
        "2026/run/rank_0.log": b"step 1\n",
        "2026/run/rank_1.log": FULL,
        "late/train.log.gz": gzip.compress(b"2026-01-05 10:00:00 step 1\n" + FULL),
        "old.zip": zipped(),
        "broken.log.gz": b"\x1f\x8b" + bytes(20),
        "model.bin": b"\x7fELF",
        "config.json": b"{}",
        ".cache/x.log": FULL,
        "site-packages/x/y.log": FULL,
    }.items():
        system.pipe(f"/logsense-survey/{name}", data)
    yield "memory://logsense-survey"
    system.rm("/logsense-survey", recursive=True)


def test_what_lies_below_an_address(bucket: str) -> None:
    tasks = find_tasks([bucket])
    rows = {row.job.partition("survey/")[2]: row for _, rows in read_tasks(tasks, 1, None, None) for row in rows}
    assert {name: row.cause for name, row in rows.items()} == {
        "2026/run": "storage.disk-full",
        "late/train.log.gz": "storage.disk-full",
        "old.zip/j/train.log": "storage.disk-full",
        "broken.log.gz": None,
    }
    assert (rows["2026/run"].rank, rows["2026/run"].logs, rows["2026/run"].dated_by) == (1, 2, "file")
    assert "damaged" in str(rows["broken.log.gz"].problem)
    assert [task.name.rpartition("/")[2] for task in find_tasks([f"{bucket}/late/train.log.gz"])] == ["train.log.gz"]


def test_changed_logs_are_read_again(bucket: str) -> None:
    before = {task.name: task.stamp for task in find_tasks([bucket])}
    assert before == {task.name: task.stamp for task in find_tasks([bucket])}
    fsspec.filesystem("memory").pipe("/logsense-survey/2026/run/rank_0.log", b"step 2\n")
    after = {task.name: task.stamp for task in find_tasks([bucket])}
    assert {name.rpartition("/")[2] for name in after if after[name] != before[name]} == {"run"}


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("memory://logsense-survey/nowhere", "no such file"),
        ("nope://x/y", "nope:// is not supported"),
        ("https://user:secret@host/logs", "leave passwords and signatures out"),
        ("https://host/x.log?token=secret", "leave passwords and signatures out"),
        ("loki+https://host/?query={secret}", "can't survey loki+https://host/: use logsense explain"),
    ],
)
def test_what_can_not_be_surveyed(address: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        find_tasks([address])
    assert why in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_over_http_by_several_processes(server: str, tmp_path: Path) -> None:
    (tmp_path / "late.log").write_bytes(b"2026-01-05 10:00:00 step 1\n" + FULL)
    for number in range(12):
        (tmp_path / f"job-{number}.log").write_bytes(FULL)
    command = [sys.executable, "-m", "logsense", "survey", f"{server}/", "--jobs", "2", "--format", "json"]
    command += ["--database", str(tmp_path / "survey.db")]
    ended = subprocess.run(command, capture_output=True, check=False, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    jobs = {job["job"].removeprefix(server): job for job in json.loads(ended.stdout)["jobs"]}
    assert len(jobs) == 12 + 1 + 3  # what the server has besides: a log and two archives
    assert {jobs[f"/job-{number}.log"]["cause"] for number in range(12)} == {"storage.disk-full"}
    assert jobs["/a.tar.gz/job/rank0.log"]["outcome"] == "completed"
    assert (jobs["/job-0.log"]["failed_at"], jobs["/job-0.log"]["dated_by"]) == (None, None)
    assert len(files_at(f"{server}/train.log")) == 1
