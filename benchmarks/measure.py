"""Run programs and say how long each took and how much memory it held; they take turns, the quickest run counts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

GIB, MIB = 1 << 30, 1 << 20
MOST_OUTPUT_BYTES = 8 * MIB  # are kept: what this process holds counts for what it starts
LOGSENSE = (sys.executable, "-m", "logsense")


class Run(NamedTuple):
    """How long a program took, the most memory it held (the largest of its processes), and what it printed."""

    seconds: float
    peak_bytes: int
    output: bytes
    stopped: bool = False


def environment() -> dict[str, str]:
    """Return the environment of an installed program, which has compiled modules; an editable one in a sandbox may not."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    given.setdefault("PYTHONPYCACHEPREFIX", os.path.join(tempfile.gettempdir(), "logsense-bench-bytecode"))
    return given


def measured(command: Sequence[str], limit_s: float = 3600.0) -> Run:
    """Run `command` once, and stop it after `limit_s`: what it takes is then known to be more. What this process holds counts as the peak of all that it starts, so it has to be little."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, env=environment()
        )
        stopping = threading.Timer(limit_s, process.kill)
        stopping.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        stopping.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        peak_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Run(seconds, peak_bytes, out.read(MOST_OUTPUT_BYTES), seconds >= limit_s)


def best(commands: Mapping[str, Sequence[str]], repeat: int, limit_s: float = 3600.0) -> dict[str, Run]:
    """Return the quickest of `repeat` runs of each command; they take turns, so that all meet the same machine."""
    found: dict[str, Run] = {}
    for _ in range(repeat):
        for name, command in commands.items():
            if name in found and found[name].stopped:
                continue
            run = measured(command, limit_s)
            if name not in found or run.seconds < found[name].seconds:
                found[name] = run
    return found
