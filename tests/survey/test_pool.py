"""The rows are the same for any number of workers, and for workers that die."""

from __future__ import annotations

import os
import signal
import threading
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from logsense.model.survey import JobRow
from logsense.survey.find import Task, find_tasks
from logsense.survey.pool import LEAST_TASKS, read_tasks

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
FAILING = Path(__file__).parents[1] / "failing"
SOME = [str(path) for path in sorted(FAILING.glob("torch--*.log"))[: LEAST_TASKS + 1]]


def rows(tasks: list[Task], workers: int) -> dict[str, list[JobRow]]:
    return {task.name: rows for task, rows in read_tasks(tasks, workers, None, None)}


def no_workers() -> bool:
    """Whether all are gone, or are within seconds: threads of the pool take note of it a little later."""
    until = time.monotonic() + 10
    while active_children() and time.monotonic() < until:
        time.sleep(0.01)
    return not active_children()


@pytest.mark.slow
def test_workers_make_no_difference_even_when_one_is_killed() -> None:
    tasks = find_tasks(SOME)
    alone = rows(tasks, 1)
    assert rows(tasks, 3) == alone
    reading = read_tasks(tasks, 2, None, None)
    first = next(reading)
    os.kill(active_children()[0].pid or 0, signal.SIGKILL)
    assert dict([(first[0].name, first[1]), *((task.name, rows) for task, rows in reading)]) == alone
    assert no_workers()


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_log_that_kills_its_reader_is_a_row(tmp_path: Path) -> None:
    pipe = tmp_path / "endless.log"
    os.mkfifo(pipe)
    bad = Task(str(pipe), (str(pipe),), "", 1 << 40, time.time())
    tasks = [bad, *find_tasks(SOME)]
    ended = threading.Event()
    killer = threading.Thread(target=_kill_who_reads, args=(str(pipe), ended))
    killer.start()
    try:
        found = rows(tasks, 2)
    finally:
        ended.set()
        killer.join()
    (row,) = found.pop(str(pipe))
    assert (row.outcome, row.problem) == ("unreadable", "the process that read it was killed")
    assert found == rows(tasks[1:], 1)


def _kill_who_reads(pipe: str, ended: threading.Event) -> None:
    while not ended.wait(0.01):
        try:
            writing = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody waits for it yet
            continue
        while not ended.is_set() and not any(_kill_reader(worker.pid, pipe) for worker in active_children()):
            time.sleep(0.01)
        os.close(writing)


def _kill_reader(pid: int | None, pipe: str) -> bool:
    try:
        if any(os.readlink(f"/proc/{pid}/fd/{fd}") == pipe for fd in os.listdir(f"/proc/{pid}/fd")):
            os.kill(pid or 0, signal.SIGKILL)
            return True
    except OSError:  # it has ended
        pass
    return False


def test_closing_ends_the_workers() -> None:
    reading = read_tasks(find_tasks(SOME), 2, None, None)
    next(reading)
    reading.close()
    assert no_workers()
