"""Measure what the pipe does to a job's output: how much later a line comes, and how many bytes a second pass."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from measure import GIB, LOGSENSE, MIB, environment

LINES = 2000
# A job that prints a line every two milliseconds, with the time at which it did.
CLOCK = f"""
import os, time
for number in range({LINES}):
    time.sleep(0.002)
    os.write(1, b"%.6f step %d loss 0.5\\n" % (time.monotonic(), number))
"""
# A job that prints as fast as it can: lines of ordinary output, a mebibyte at once.
FLOOD = """
import os, sys
line = b"[2026-05-03 06:01:07,926][train][INFO] - step 4120 loss 0.5213 lr 3.0e-04 grad_norm 0.313\\n"
data = line * (1048576 // len(line) + 1)
left = int(sys.argv[1])
while left > 0:
    view = memoryview(data)[:left]
    left -= len(view)
    while view:
        view = view[os.write(1, view):]
"""


def behind(
    job: Sequence[str], program: Sequence[str], folder: str
) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    """Return `job | program`, with the pipe to read from."""
    first = subprocess.Popen(job, stdout=subprocess.PIPE, env=environment())
    second = subprocess.Popen(
        program, stdin=first.stdout, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(), cwd=folder
    )
    assert first.stdout
    first.stdout.close()
    return first, second


def delay_s(program: Sequence[str], folder: str) -> float:
    """Return by how much a line comes later, for 99 of 100 lines at most."""
    first, second = behind([sys.executable, "-c", CLOCK], program, folder)
    assert second.stdout
    delays = sorted(time.monotonic() - float(line.split()[0]) for line in second.stdout)
    first.wait(), second.wait()
    return delays[len(delays) * 99 // 100]


def flow_s(program: Sequence[str], size: int, folder: str) -> float:
    """Return the seconds until `size` bytes have come through and both ends are done with them."""
    began = time.perf_counter()
    first, second = behind([sys.executable, "-c", FLOOD, str(size)], program, folder)
    assert second.stdout
    while os.read(second.stdout.fileno(), MIB):
        pass
    passed = time.perf_counter() - began
    first.wait(), second.wait()
    return passed


def pipes(repeat: int, size: int = GIB) -> dict[str, Any]:
    """Return the delay of a line (p99) and seconds for `size` bytes, through `logsense` and through `cat`."""
    programs = {"logsense": LOGSENSE, "cat": ("cat",)}
    with tempfile.TemporaryDirectory() as folder:
        delays = {name: min(delay_s(program, folder) for _ in range(repeat)) for name, program in programs.items()}
        flows = {name: min(flow_s(program, size, folder) for _ in range(repeat)) for name, program in programs.items()}
    return {"bytes": size, "delay_p99_s": delays, "flow_s": flows}
