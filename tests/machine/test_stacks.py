"""What processes do, seen from outside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.machine.host.processes import describe_processes
from logsense.machine.open_files import writers_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the files of Linux")


def test_a_busy_and_a_sleeping_process() -> None:
    programs = ("print(1, flush=True)\nwhile True: pass", "import time; print(1, flush=True); time.sleep(60)")
    processes = [subprocess.Popen([sys.executable, "-c", one], stdout=subprocess.PIPE) for one in programs]
    try:
        for process in processes:
            assert process.stdout
            process.stdout.readline()
        busy, asleep = describe_processes([process.pid for process in processes])
        assert [busy.pid, asleep.pid] == [process.pid for process in processes]
        assert busy.state == "running"
        assert busy.cpu_share is not None
        assert asleep.cpu_share is not None
        assert busy.cpu_share > asleep.cpu_share
        assert asleep.state == "sleeping"
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert describe_processes([process.pid for process in processes]) == ()


def test_who_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    with path.open("w") as file:
        writer = subprocess.Popen(["sleep", "60"], stdout=file)
    reader = subprocess.Popen(["tail", "-f", str(path)], stdout=subprocess.DEVNULL)
    try:
        assert writers_of([str(path)]) == (writer.pid,)
        assert writers_of([str(tmp_path / "nowhere")]) == ()
    finally:
        for process in (writer, reader):
            process.kill()
            process.wait()
    assert os.getpid() not in writers_of([str(path)])
