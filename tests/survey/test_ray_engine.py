"""A survey on a real Ray cluster of several nodes gives the rows that one machine gives, whatever is lost meanwhile."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from logsense.catalog.load import load_catalog, packed_catalog
from logsense.model.survey import JobRow
from logsense.survey.find import Task, find_tasks
from logsense.survey.pool import read_tasks as read_here
from logsense.survey.ray_engine import Refusal, Setup, read_share, read_tasks_on_ray, time_zone
from logsense.util.errors import InputError

ray: Any = pytest.importorskip("ray")
# What Ray itself leaves open or does in an old way is not ours.
pytestmark = [pytest.mark.ray, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
FAILING = Path(__file__).parents[1] / "failing"
SOME = [str(path) for path in sorted(FAILING.glob("torch--*.log"))[:24]]


class Cluster:
    """A cluster of two nodes, each a set of processes of its own; the second may be lost."""

    def __init__(self) -> None:
        utils: Any = import_module("ray.cluster_utils")
        small = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
        self.nodes = utils.Cluster(initialize_head=True, head_node_args=small)
        self.second = self.nodes.add_node(**small)


@pytest.fixture
def folder() -> Iterator[str]:
    """A folder with a short name: paths of sockets are bounded."""
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as name:
        yield name


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, folder: str) -> Iterator[Cluster]:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_TMPDIR", folder)
    found = Cluster()
    monkeypatch.setenv("RAY_ADDRESS", found.nodes.address)
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    yield found
    ray.shutdown()
    found.nodes.shutdown()
    monkeypatch.undo()
    time.tzset()


def on_ray(tasks: list[Task], said: list[str] | None = None) -> Iterator[tuple[Task, list[JobRow]]]:
    catalog = load_catalog()
    return read_tasks_on_ray(tasks, None, catalog.key, packed_catalog(), (said if said is not None else []).append)


def readers() -> list[int]:
    """The processes of Ray that work on a share."""
    found = []
    for one in Path("/proc").iterdir():
        try:
            if one.name.isdecimal() and (one / "cmdline").read_bytes().startswith(b"ray::read_share"):
                found.append(int(one.name))
        except OSError:  # noqa: PERF203 - it has ended
            continue
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_cluster_that_loses_a_reader_a_node_and_a_log_that_kills(tmp_path: Path, cluster: Cluster) -> None:
    tasks = find_tasks(SOME)
    here = {task.name: rows for task, rows in read_here(tasks, 1, None, None)}
    pipe = tmp_path / "endless.log"
    os.mkfifo(pipe)
    bad = Task(str(pipe), (str(pipe),), "", 1 << 40, time.time())
    gone = Task("gone", (str(tmp_path / "gone.log"),), "", 1 << 30, time.time())
    ended = threading.Event()
    killed: list[int] = []
    killer = threading.Thread(target=kill_who_reads, args=(str(pipe), ended, killed))
    killer.start()
    found: dict[str, list[JobRow]] = {}
    try:
        for number, (task, rows) in enumerate(on_ray([bad, gone, *tasks])):
            assert task.name not in found
            found[task.name] = rows
            if number == 3:
                cluster.nodes.remove_node(cluster.second)
    finally:
        ended.set()
        killer.join()
    (row,) = found.pop(str(pipe))
    assert (row.outcome, row.problem) == ("unreadable", "the process that read it was killed")
    assert len(killed) >= 2
    (row,) = found.pop("gone")
    assert (row.outcome, row.problem) == ("unreadable", f"{gone.paths[0]}: no such file")
    assert found == here


def kill_who_reads(pipe: str, ended: threading.Event, killed: list[int]) -> None:
    while not ended.wait(0.01):
        try:
            writing = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody waits for it yet
            continue
        while not ended.is_set() and not any(kill_reader(pid, pipe, killed) for pid in readers()):
            time.sleep(0.01)
        os.close(writing)


def kill_reader(pid: int, pipe: str, killed: list[int]) -> bool:
    try:
        if any(os.readlink(f"/proc/{pid}/fd/{fd}") == pipe for fd in os.listdir(f"/proc/{pid}/fd")):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
            return True
    except OSError:  # it has ended
        pass
    return False


def test_where_no_cluster_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(InputError, match=r"can't reach the Ray cluster at 127\.0\.0\.1:1: connection refused"):
        next(on_ray(find_tasks(SOME)))


def test_a_node_with_another_setup_is_refused(tmp_path: Path) -> None:
    task = Task("x", (str(tmp_path / "x.log"),), "", 0, 0.0)
    other = read_share(Setup("0.0", "key", b"", "UTC0"), [task])
    assert isinstance(other, Refusal)
    assert "not 0.0" in other.why
    from logsense.util.version import __version__

    blind = read_share(Setup(__version__, "key", b"", "UTC0"), [task])
    assert isinstance(blind, Refusal)
    assert blind.path == task.paths[0]


def test_the_zone_is_one_that_any_machine_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    assert time_zone() == "Asia/Kathmandu"
    monkeypatch.delenv("TZ")
    assert time_zone()
