"""How a process ended that is somebody else's child."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from logsense.machine.host.exits import Exit
from logsense.model.live import Ended

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how others end")

# A parent that looks after its child late, as a notebook's server does.
PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.readline()
child.stdin.close()
sys.stdin.readline()
child.wait()
print("waited", flush=True)
sys.stdin.readline()
"""


@contextmanager
def _grandchild(program: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    command = [sys.executable, "-c", PARENT, f"import sys; sys.stdin.read()\n{program}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        yield int(parent.stdout.readline()), parent
        assert parent.stdin
        parent.stdin.close()


def _go(parent: subprocess.Popen[str]) -> None:
    assert parent.stdin
    parent.stdin.write("\n")
    parent.stdin.flush()


@pytest.mark.parametrize(
    ("program", "ended"),
    [
        ("", Ended(0)),
        ("sys.exit(77)", Ended(77)),
        ("import os; os.kill(os.getpid(), 9)", Ended(signal=signal.SIGKILL)),
        ("import os; os.kill(os.getpid(), 15)", Ended(signal=signal.SIGTERM)),
    ],
)
def test_how_it_ended(program: str, ended: Ended) -> None:
    with _grandchild(program) as (pid, parent):
        end = Exit(pid)
        assert not end.wait(0.05)
        _go(parent)
        assert end.wait(30)
        assert end.result() == ended


def test_a_parent_that_was_quicker_leaves_the_end_untold() -> None:
    with _grandchild("") as (pid, parent):
        end = Exit(pid)
        _go(parent)
        _go(parent)
        assert parent.stdout
        assert parent.stdout.readline() == "waited\n"
        assert end.wait(5)
        assert end.result() is None


def test_nobody() -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    with pytest.raises(ProcessLookupError):
        Exit(done.pid)


def test_without_file_descriptors_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)  # as on older kernels, and on other systems
    with _grandchild("sys.exit(3)") as (pid, parent):
        end = Exit(pid)
        began = time.monotonic()
        assert not end.wait(0.3)
        assert time.monotonic() - began >= 0.3
        _go(parent)
        _go(parent)
        assert end.wait(30)
