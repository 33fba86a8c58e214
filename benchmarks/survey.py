"""Measure `logsense survey` over many small logs against `wc -l` over the same files.

    python benchmarks/survey.py [--logs N] [--lines N]

The logs are healthy training output of which every second one ends in a failure. They lie in the temporary folder and
are deleted in the end.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from logs import FAILURE, lines


def write(folder: Path, logs: int, length: int) -> int:
    """Write the logs; return their size in bytes."""
    source, size = lines(random.Random(3)), 0
    for number in range(logs):
        text = "".join(next(source) for _ in range(length)) + (FAILURE if number % 2 else "")
        path = folder / f"job-{number}" / "train.log"
        path.parent.mkdir()
        size += path.write_bytes(text.encode())
    return size


def seconds(command: list[str]) -> tuple[float, float]:
    """Return how long `command` takes, by the clock and of all cores together."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=1000, metavar="N", help="how many logs (default: 1000)")
    parser.add_argument("--lines", type=int, default=400, metavar="N", help="lines in each (default: 400)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="logsense-bench-") as name:
        folder, base = Path(name, "logs"), os.path.join(name, "survey.db")
        folder.mkdir()
        size = write(folder, chosen.logs, chosen.lines)
        paths = [str(path) for path in folder.glob("*/*.log")]
        survey = [sys.executable, "-m", "logsense", "survey", str(folder), "--database", base, "-f", "csv"]
        seconds([sys.executable, "-m", "logsense", "explain", "-q", FAILURE])  # fills the caches
        took = {"wc -l": min(seconds(["wc", "-l", *paths]) for _ in range(3)), "first survey": seconds(survey)}
        took["second survey"] = seconds(survey)
    print(f"{chosen.logs} logs, {size / 2**20:.0f} MiB, {os.cpu_count()} cores\n")
    print(f"{'':15}{'clock':>10}{'a log':>12}{'to wc':>10}{'all cores':>12}")
    for what, (clock_s, work_s) in took.items():
        ratio = clock_s / took["wc -l"][0]
        print(f"{what:15}{clock_s:8.2f} s{1000 * clock_s / chosen.logs:9.2f} ms{ratio:8.1f} ×{work_s:10.2f} s")


if __name__ == "__main__":
    main()
