"""Measure what `logsense run` costs a job: before it begins, after its end, in a busy loop, and in bytes a second.

    python benchmarks/jobs.py [--repeat N]

The peer is the same Python, which does nothing but become the job. Programs take turns; the median counts, and for the
busy loop the least.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

# What pip's own starter of a command imports, and then nothing of ours.
PEER = "import os, re, sys; os.execvp(sys.argv[1], sys.argv[1:])"
NOW = "import time; print(time.time())"
LOOP = "import time\nbegan = time.perf_counter()\nn = 0\nfor step in range(150):\n    for i in range(400_000): n += i\n    print('step', step)\nprint(time.perf_counter() - began)"
BYTES = "import os\ndata = bytes(range(256)) * 4096\nfor _ in range(1024):\n    view = memoryview(data)\n    while view: view = view[os.write(1, view):]"
PAUSE_S = 0.5  # the recorder's second process of the run before has to be over


def output(command: list[str]) -> bytes:
    """Return what `command` prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def start_and_end(command: list[str]) -> tuple[float, float]:
    """Return the seconds until a job begins, and from then to the end of all."""
    before_s = time.time()
    at_s = float(output([*command, shutil.which("date") or "date", "+%s.%N"]))
    return at_s - before_s, time.time() - at_s


def loop(command: list[str]) -> float:
    """Return the seconds that a busy loop takes, by its own clock."""
    return float(output([*command, sys.executable, "-c", LOOP]).splitlines()[-1])


def flow(command: list[str]) -> float:
    """Return the seconds for a gibibyte of output."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, sys.executable, "-c", BYTES], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout
    while os.read(process.stdout.fileno(), 1 << 20):
        pass
    process.stdout.close()
    process.wait()
    return time.perf_counter() - began


def taken(measure: Callable[[list[str]], Any], commands: dict[str, list[str]], repeat: int) -> dict[str, list[Any]]:
    """Return the results of `repeat` rounds in which the commands take turns."""
    found: dict[str, list[Any]] = {name: [] for name in commands}
    for _ in range(repeat):
        for name, command in commands.items():
            found[name].append(measure(command))
            time.sleep(PAUSE_S)
    return found


def jobs(repeat: int) -> dict[str, dict[str, float]]:
    """Return the seconds until a job begins, from its end to the end of all, of a busy loop, and for a gibibyte of output."""
    ours = shutil.which("logsense", path=os.path.dirname(sys.executable)) or "logsense"
    commands = {"python, then the job": [sys.executable, "-c", PEER], "logsense run": [ours, "run"]}
    kept = {name: os.environ.get(name) for name in ("XDG_STATE_HOME", "PYTHONDONTWRITEBYTECODE")}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([ours, "run", "true"], check=True)
        edges = taken(start_and_end, commands, repeat)
        loops = taken(loop, commands, max(repeat // 2, 3))
        flows = taken(flow, commands, 3)
    os.environ.update({name: value for name, value in kept.items() if value is not None})
    if kept["XDG_STATE_HOME"] is None:
        del os.environ["XDG_STATE_HOME"]
    found = {}
    for name in commands:
        starts, ends = zip(*edges[name], strict=True)
        found[name] = {"start": median(starts), "end": median(ends), "loop": min(loops[name]), "flow": min(flows[name])}
    return found


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=11, metavar="N")
    print(f"{'':24}{'start ms':>10}{'end ms':>10}{'loop s':>10}{'GiB s':>10}")
    for name, took in jobs(parser.parse_args().repeat).items():
        print(
            f"{name:24}{took['start'] * 1000:10.1f}{took['end'] * 1000:10.1f}{took['loop']:10.3f}{took['flow']:10.2f}"
        )


if __name__ == "__main__":
    main()
