"""A command run through pipes, as on systems that have no terminals to give."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from logsense.jobs.pipes import PipedJob

Capture = pytest.CaptureFixture[bytes]


def run(code: str, *more: str) -> tuple[PipedJob, bytes]:
    """A Python program that has run, and what was handed on of its output."""
    seen = bytearray()
    job = PipedJob([sys.executable, "-c", code, *more])
    assert job.start()
    assert job.pid
    job.run(seen.extend, tick_s=0.05)
    return job, bytes(seen)


def test_streams_stay_apart_and_every_byte_arrives(capfdbinary: Capture) -> None:
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4000); sys.stderr.write('wrong\\n'); sys.exit(7)"
    job, seen = run(code)
    out, err = capfdbinary.readouterr()
    assert (job.status, job.signal) == (7, None)
    assert (out, err) == (bytes(range(256)) * 4000, b"wrong\n")
    assert len(seen) == len(out) + len(err)


def test_what_is_printed_arrives_at_once(capfdbinary: Capture) -> None:
    job = PipedJob([sys.executable, "-c", "import time; print('now'); time.sleep(1.5)"])
    assert job.start()
    began, heard = time.monotonic(), []
    job.run(lambda data: heard.append(time.monotonic() - began))
    assert heard[0] < time.monotonic() - began - 1


def test_a_signal(capfdbinary: Capture) -> None:
    job, _ = run("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert (job.status, job.signal) == (None, signal.SIGTERM)


@pytest.mark.parametrize(("name", "status"), [("no-such-program", 127), ("not-executable", 126)])
def test_a_command_that_can_not_be_run(name: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "not-executable").write_text("")
    job = PipedJob([str(tmp_path / name)])
    assert not job.start()
    assert job.status == status
    assert job.problem


def test_ticks_come_and_never_beside_output(capfdbinary: Capture) -> None:
    inside = threading.Lock()
    ticks = []

    def alone(data: bytes = b"") -> None:
        assert inside.acquire(blocking=False)
        time.sleep(0.001)
        inside.release()
        ticks.append(data)

    job = PipedJob([sys.executable, "-c", "import time\nfor _ in range(20): print('x'); time.sleep(0.02)"])
    assert job.start()
    job.run(alone, alone, tick_s=0.01)
    assert ticks.count(b"") > 5
    assert b"".join(ticks).count(b"x") == 20


def test_an_analysis_that_fails_does_not_stop_the_output(capfdbinary: Capture) -> None:
    job = PipedJob([sys.executable, "-c", "import time\nfor _ in range(3): print('x'); time.sleep(0.05)"])
    assert job.start()

    def fail(_data: bytes) -> None:
        raise ValueError

    job.run(fail)
    assert capfdbinary.readouterr().out == b"x\nx\nx\n".replace(b"\n", os.linesep.encode())


def test_a_child_that_outlives_the_command_does_not_hold_us(capfdbinary: Capture) -> None:
    code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])"
    began = time.monotonic()
    job, _ = run(code)
    assert job.status == 0
    assert time.monotonic() - began < 4


@pytest.mark.skipif(os.name == "nt", reason="a console sends Ctrl-C itself")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, "True 3"), (signal.SIGTERM, "False None")])
def test_signals_reach_the_command(sent: signal.Signals, status: str) -> None:
    code = (
        "import sys; from logsense.jobs.pipes import PipedJob\n"
        "job = PipedJob([sys.executable, '-c', 'import time\\ntry:\\n  print(1); time.sleep(20)\\n"
        "except KeyboardInterrupt: raise SystemExit(3)'])\n"
        "job.start(); job.run(lambda data: None, tick_s=0.1); print(job.interrupted, job.status)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "1\n"
        process.send_signal(sent)
        assert process.stdout.read().strip() == status
