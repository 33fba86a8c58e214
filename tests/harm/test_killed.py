"""`kill -9` of everything, logsense included, at random moments: what it passed on a second before is on disk."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.harm.modes import ROOT

if sys.platform == "win32":
    pytest.skip("needs POSIX", allow_module_level=True)

MOMENTS = 200
MOST_LOST_S = 1.0
# Prints a line about every millisecond: its number, and when it was printed by the steady clock.
JOB = """
import itertools, time
for number in itertools.count():
    print(number, time.monotonic(), flush=True)
    time.sleep(0.001)
"""


def lost_s(folder: Path, after_s: float, mode: str) -> float:
    """How much newer the last line that logsense passed on is than the last on disk, when all is killed after so long.

    Each line says when it was printed. On a busy machine, a line may wait for a second before logsense reads it.
    """
    state = folder / "state"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(state)}
    job, ours = [sys.executable, "-S", "-c", JOB], [sys.executable, "-m", "logsense"]
    command = [*ours, "run", "--", *job] if mode == "run" else ["sh", "-c", '"$@" | "$0" -m logsense', *ours[:1], *job]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
        preexec_fn=os.setpgrp,
    ) as process:
        assert process.stdout
        began = time.monotonic()
        passed = os.read(process.stdout.fileno(), 1)
        while time.monotonic() - began < after_s:
            passed += os.read(process.stdout.fileno(), 1 << 16)
        everything = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, signal.SIGKILL)
        for one in everything:
            with suppress(psutil.Error):
                one.kill()
        while data := os.read(process.stdout.fileno(), 1 << 16):
            passed += data
    kept = b"".join(path.read_bytes() for path in sorted(state.glob("logsense/runs/*/output/*")))
    lines, seen = _whole_lines(kept), _whole_lines(passed)
    assert [int(line.split()[0]) for line in lines] == list(range(len(lines)))
    return _printed_s(seen) - _printed_s(lines or seen[:1]) if seen else 0.0


def _whole_lines(data: bytes) -> list[bytes]:
    return [line for line in data.rpartition(b"\n")[0].split(b"\n") if line]


def _printed_s(lines: list[bytes]) -> float:
    return float(lines[-1].split()[1])


@pytest.mark.parametrize("mode", ["run", "pipe"])
def test_at_most_a_second_is_lost(mode: str, tmp_path: Path) -> None:
    chance = random.Random(1)
    lost = []
    for number in range(MOMENTS // 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        lost.append(lost_s(folder, chance.random() * 1.5, mode))
    print(f"lost by {mode}: at most {max(lost):.3f} s, half of the time {sorted(lost)[len(lost) // 2]:.3f} s")
    assert max(lost) <= MOST_LOST_S
