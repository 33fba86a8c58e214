"""Measure everything that counts, against every other program that is here, and write the page of results.

    python benchmarks/all.py [PART …] [--size GIB] [--repeat N] [--real FOLDER] [--peer-python PYTHON]

Parts: real (logs of real runs, from a folder of them, repeated), quiet (nothing is found in it), sparse (a finding every 100 lines), dense (every line), bars, files (1,000 of them), gzip, zstd, starts,
pipes, jobs (what the recorder costs), ranks (a job of 1,024), floor (what no scan can do without). Without any, all of them. What was measured is kept in
benchmarks/results.json, each part with its day, so that parts may be measured one by one; docs/benchmarks.md is written
from it. Logs are written into the temporary folder and deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import page
from logs import SHAPES
from measure import GIB
from peers import Peer, peers
from scans import scan, written

ROOT = Path(__file__).parents[1]
PARTS = (*SHAPES, "starts", "pipes", "jobs", "ranks", "floor")
LEAST_STARTS = 20
FEW = 600  # texts for a program that only searches
RANKS, RANK_LINES = 1024, 20_000
# More than this of other programs' work, in cores, and times say little.
BUSY_CORES = 0.3


def main() -> None:
    """Measure the parts that were asked for and write results and page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART")
    parser.add_argument("--size", type=float, default=1.0, metavar="GIB", help="of each log (default: 1)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N runs (default: 3)")
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="of real logs, for the part of that name")
    parser.add_argument("--peer-python", metavar="PYTHON", help="a Python that has gpualert, nvidia-resiliency-ext")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results.json", metavar="FILE")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/benchmarks.md", metavar="FILE")
    given = parser.parse_args()
    kept = json.loads(given.results.read_text()) if given.results.exists() else {"parts": {}}
    with tempfile.TemporaryDirectory(prefix="logsense-bench-") as folder:
        literals, few = Path(folder, "literals"), Path(folder, "few")
        written("literals", literals, 0)
        written("literals", few, FEW)
        known = peers(literals, few, given.peer_python)
        kept = {"machine": page.machine(), **kept, "peers": [peer_row(peer) for peer in known]}
        for part in given.parts or PARTS[not given.real :]:
            print(f"{part} … ", end="", flush=True)
            load, began = busy_cores(), time.perf_counter()
            took = measure(part, given.size, given.repeat, Path(folder), known, given.real)
            here = {"date": time.strftime("%Y-%m-%d"), "machine": page.machine()}
            kept["parts"][part] = {**here, "others": load, **took}
            given.results.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
            given.page.write_text(page.page(kept), encoding="utf-8")
            note = f", while others used {load:.1f} cores: SAYS LITTLE" if load > BUSY_CORES else ""
            print(f"{time.perf_counter() - began:.0f} s{note}", flush=True)
    print(f"written: {given.results} and {given.page}")


def measure(
    part: str, size_gib: float, repeat: int, folder: Path, known: list[Peer], real: Path | None
) -> dict[str, Any]:
    """Return what one part took."""
    if part in SHAPES:
        return scan(part, int(size_gib * GIB), repeat, folder, known, real)
    if part == "starts":
        from starts import starts

        return {"seconds": starts(max(repeat, LEAST_STARTS))}
    if part == "pipes":
        from pipes import pipes

        return pipes(repeat, int(size_gib * GIB))
    if part == "jobs":
        from jobs import jobs

        return {"seconds": jobs(max(repeat, 5))}
    if part == "floor":
        from floor import floor

        return floor(int(size_gib * GIB))
    from ranks import ranks

    return ranks(RANKS, max(100, int(RANK_LINES * min(size_gib, 1.0))), repeat)


def peer_row(peer: Peer) -> dict[str, str]:
    """Return what the page says of a peer."""
    return {"name": peer.name, "what": peer.what, "version": peer.version, "missing": peer.missing}


def busy_cores() -> float:
    """Return how many cores other programs use at the moment."""
    before, began = cpu_s(), time.monotonic()
    time.sleep(0.5)
    return round(max(0.0, (cpu_s() - before) / (time.monotonic() - began)), 2)


def cpu_s() -> float:
    """Return the processor time of the whole machine so far, without idling; 0 where the system does not tell."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
    except OSError:
        return 0.0
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
