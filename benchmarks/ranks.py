"""Measure `logsense explain` over the logs of a job of many ranks against wc on the same files.

    python benchmarks/ranks.py [--ranks N] [--lines N] [--repeat N]

One rank runs out of GPU memory; the ranks of its machine lose their connections, all others run out of time. The logs
are written into the temporary folder and deleted in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from measure import LOGSENSE, best, measured

PER_MACHINE = 8
OWN = """\
[rank{0}]: Traceback (most recent call last):
[rank{0}]:   File "/home/user/project/train.py", line 214, in <module>
[rank{0}]:     main()
[rank{0}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of \
79.15 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the \
allocated memory 74.10 GiB is allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated.
"""
CLOSED = """\
[rank{0}]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:{0}
"""
LATE = """\
[rank{0}]:[E0503 06:01:07.926000000 ProcessGroupNCCL.cpp:629] [Rank {0}] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum=59820, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600029 \
milliseconds before timing out.
[rank{0}]:[E0503 06:01:07.927000000 ProcessGroupNCCL.cpp:681] [Rank {0}] To avoid data inconsistency, we are taking the \
entire process down.
"""


def write_job(folder: Path, ranks: int, lines: int, fault: int) -> None:
    """Write a log for each of `ranks` ranks in `folder`, of about `lines` lines; rank `fault` fails."""
    for rank in range(ranks):
        here = rank % PER_MACHINE
        parts = [
            f"node{rank // PER_MACHINE:03d}:{4000 + rank}:{5000 + rank} [{here}] NCCL INFO Channel {channel:02d}/0 : "
            f"{rank}[{here}] -> {(rank + 1) % ranks}[{(here + 1) % PER_MACHINE}] via P2P/CUMEM\n"
            for channel in range(30)
        ]
        parts += [
            f"[2026-05-03 {step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d},{rank % 1000:03d}][train][INFO] - "
            f"step {step} loss {9 / (1 + step**0.3):.4f} lr 3.0e-04 grad_norm {0.3 + step % 97 / 100:.3f}\n"
            for step in range(lines - 40)
        ]
        end = OWN if rank == fault else CLOSED if rank // PER_MACHINE == fault // PER_MACHINE else LATE
        (folder / f"slurm-771_{rank}.out").write_text("".join(parts) + end.format(rank), encoding="utf-8")


def ranks(count: int, lines: int, repeat: int) -> dict[str, Any]:
    """Return the seconds, memory and what was found, for a job of `count` ranks; what `wc -l` took on the same files."""
    fault = count * 3 // 5
    with tempfile.TemporaryDirectory(prefix="logsense-bench-") as place:
        write_job(Path(place), count, lines, fault)
        files = sorted(map(str, Path(place).iterdir()))
        size = sum(os.stat(file).st_size for file in files)
        explain = [*LOGSENSE, "explain", "--format", "json", place]
        measured(explain)  # fills the caches
        runs = best({"logsense": explain, "wc -l": ["wc", "-l", *files]}, repeat)
    ours, report = runs["logsense"], json.loads(runs["logsense"].output)
    return {
        "ranks": count,
        "bytes": size,
        "seconds": ours.seconds,
        "peak_bytes": ours.peak_bytes,
        "found": report["diagnoses"][0]["cause"],
        "right": [one["rank"] for one in report["culprits"]] == [fault],
        "peers": {"wc -l": {"bytes": size, "seconds": runs["wc -l"].seconds}},
    }


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--lines", type=int, default=20_000, help="of each rank (default: 20,000)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N runs (default: 3)")
    chosen = parser.parse_args()
    took = ranks(chosen.ranks, chosen.lines, chosen.repeat)
    ratio = took["seconds"] / took["peers"]["wc -l"]["seconds"]
    print(f"{chosen.ranks} ranks × {chosen.lines} lines: {took['seconds']:.2f} s, {ratio:.1f} × wc -l, ", end="")
    print(f"peak {took['peak_bytes'] / 2**20:.0f} MiB in the largest process")
    print(f"found: {took['found']}, {'the right rank' if took['right'] else 'ANOTHER RANK'}")


if __name__ == "__main__":
    main()
