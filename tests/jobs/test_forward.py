"""Signals around a job, when the second process of the group is late or gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs signals, and /proc")
# Runs a command, without anything else that `logsense run` starts, and prints how often it looked for something to do.
RUN = """
import sys
from logsense.jobs.job import Job
turns = []
job = Job([sys.executable, "-c", sys.argv[1]])
job.start()
print(job.pid, flush=True)
job.run(lambda data: None, lambda: turns.append(1))
print("turns", len(turns), flush=True)
"""
COUNTING = """
import os, signal, time
seen = []
signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
print("ready", flush=True)
while signal.SIGUSR1 not in seen: time.sleep(0.01)
time.sleep(0.3)
print("seen", seen.count(signal.SIGTERM), flush=True)
"""


@contextmanager
def running(program: str) -> Iterator[tuple[subprocess.Popen[str], psutil.Process, psutil.Process]]:
    """A job that has printed "ready": the process around it, the second one of that, and the job."""
    command = [sys.executable, "-c", RUN, program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout
            job = psutil.Process(int(process.stdout.readline()))
            assert process.stdout.readline() == "ready\n"
            [second] = [one for one in psutil.Process(process.pid).children() if one.pid != job.pid]
            yield process, second, job
            assert process.wait(60) == 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def until(holds: Callable[[], bool]) -> None:
    end_s = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def test_a_late_second_process_does_not_double_a_signal() -> None:
    with running(COUNTING) as (process, second, _):
        second.suspend()
        until(lambda: second.status() == psutil.STATUS_STOPPED)
        os.killpg(process.pid, signal.SIGTERM)
        time.sleep(0.5)
        second.resume()
        os.killpg(process.pid, signal.SIGUSR1)
        assert process.stdout
        assert process.stdout.readline() == "seen 1\n"


def test_a_signal_to_us_alone_is_passed_on_without_the_second_process() -> None:
    with running(COUNTING) as (process, second, _):
        second.kill()
        until(lambda: not second.is_running() or second.status() == psutil.STATUS_ZOMBIE)
        for number in (signal.SIGTERM, signal.SIGUSR1):
            process.send_signal(number)
        assert process.stdout
        assert process.stdout.readline() == "seen 1\n"


def test_nothing_is_busy_when_the_second_process_is_gone() -> None:
    with running("import time; print('ready', flush=True); time.sleep(2)") as (process, second, _):
        second.kill()
        assert process.stdout
        word, turns = process.stdout.readline().split()
        assert word == "turns"
        assert int(turns) < 50
