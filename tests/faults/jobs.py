"""Runs jobs of several ranks in which one rank fails, and checks the diagnosis of their logs.

    python tests/faults/jobs.py --python /path/to/bin/python --seed 1 --jobs 100 --into DIR   run, then check
    python tests/faults/jobs.py --judge DIR                                                   check the logs in DIR

Faults, ranks, steps, layouts of the logs and skewed clocks are random. The root cause in torchrun's own summary is
counted for comparison. `--into tests/ranks` keeps jobs for the tests.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.faults.run import neutral

HERE = Path(__file__).parent
CAUSES = {
    "killed": ["host-memory.oom-killed", "scheduler.cancelled"],
    "crash": ["code.native-crash"],
    "exit": ["distributed.peer-failed", "code.python-exception"],
    "file": ["storage.file-missing"],
    "shape": ["code.shape-mismatch"],
    "disk": ["storage.disk-full"],
    "hang": ["distributed.collective-timeout", "distributed.straggler"],
    "memory": ["host-memory.allocation-failed"],
    "index": ["code.index-out-of-range"],
    "port": ["distributed.port-in-use"],
    "slow": ["distributed.straggler", "distributed.collective-timeout"],
    "early": ["distributed.collective-timeout", "distributed.peer-failed", "distributed.collective-desync"],
    "desync": ["distributed.collective-desync", "distributed.collective-timeout", "distributed.peer-failed"],
}
LAYOUTS = ("one", "torchrun", "files")
WORLDS = (4, 4, 4, 6, 8, 8, 12, 16)
SKEWS_S = (0, 0, 3, 40)  # differences between the clocks of two ranks
BIG = 6  # with more ranks, gradients are summed by hand, which starts faster


def run(folder: Path, python: Path, chance: random.Random, number: int) -> dict[str, object]:
    """Run one job, with its logs in `folder`; return what is known about it."""
    world = chance.choice(WORLDS)
    fault, layout = sorted(CAUSES)[number % len(CAUSES)], chance.choice(LAYOUTS)
    rank = chance.randrange(world)
    environ = {
        **os.environ,
        "FAULT": fault,
        "FAULTY_RANK": str(rank),
        "FAULTY_STEP": str(chance.randrange(2, 50)),
        "SKEW": str(chance.choice(SKEWS_S)),
        "OMP_NUM_THREADS": "1",
    }
    if world > BIG or chance.random() < 0.5:
        environ["BY_HAND"] = "1"
    if layout == "one":
        environ["FORMAT"] = "%(asctime)s INFO rankRANK: %(message)s"
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(HERE / "jobs" / "train.py", place)
        command = [str(python), "-m", "torch.distributed.run", "--master-port", str(chance.randrange(20_000, 40_000))]
        command += ["--nproc-per-node", str(world)]
        command += [] if layout == "one" else ["--log-dir", f"{place}/logs", "--redirects", "3"]
        done = subprocess.run(
            [*command, "train.py"],
            cwd=place, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
        )  # fmt: skip
        write(folder / ("train.log" if layout == "one" else "launcher.log"), done.stdout, place, python)
        # Standard error comes last, as in a file with both streams.
        for path in sorted(Path(place, "logs").glob("*/attempt_0/*/std*.log"), reverse=True):
            where = path.relative_to(Path(place, "logs"))
            if layout == "files":
                with (folder / f"rank_{where.parts[-2]}.log").open("a", encoding="utf-8") as file:
                    file.write(neutral(path.read_text("utf-8", "replace"), place, python))
            else:
                write(folder / Path("run", *where.parts[1:]), path.read_bytes(), place, python)
    summary = re.search(rb"Root Cause \(first observed failure\).*?rank\s+: (\d+)", done.stdout, re.DOTALL)
    return {
        "fault": fault, "rank": rank, "ranks": world, "layout": layout, "causes": CAUSES[fault],
        "torchrun": int(summary[1]) if summary else None,
    }  # fmt: skip


def write(path: Path, data: bytes, place: str, python: Path) -> None:
    """Write a log without this machine's own paths."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(neutral(data.decode("utf-8", "replace"), place, python), encoding="utf-8")


def judge(folder: Path) -> tuple[str | None, list[int | None]]:
    """Return the cause and the ranks at fault that logsense names."""
    from logsense.catalog.load import load_catalog
    from logsense.pipeline import explain
    from logsense.sources.folder import logs_in

    report = explain(logs_in(str(folder)), load_catalog())
    cause = report.diagnoses[0].cause if report.diagnoses else None
    return cause, [one.rank for one in report.culprits]


def judged(folder: Path, known: dict[str, dict[str, Any]]) -> None:
    """Print the wrong diagnoses for the jobs in `folder`, and how many are right."""
    right = {"cause": 0, "rank": 0, "both": 0, "torchrun's rank": 0}
    for name, about in known.items():
        cause, ranks = judge(folder / name)
        its_cause, its_rank = cause in about["causes"], ranks == [about["rank"]]
        right["cause"] += its_cause
        right["rank"] += its_rank
        right["both"] += its_cause and its_rank
        right["torchrun's rank"] += about["torchrun"] == about["rank"]
        if not (its_cause and its_rank):
            print(f"{name}: {about} -> {cause}, ranks {ranks}", flush=True)
    print(f"of {len(known)}: {right}")


def main() -> None:
    """Run the jobs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", type=Path, help="a Python with PyTorch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--into", type=Path, help="where the logs are kept")
    parser.add_argument("--judge", type=Path, help="judge the jobs in this folder, and run none")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = chosen.judge or chosen.into or Path(place)
        listing = folder / "jobs.yaml"
        known = yaml.safe_load(listing.read_text(encoding="utf-8")) if listing.exists() else {}
        if not chosen.judge:
            if not chosen.python:
                parser.error("--python says which Python has PyTorch")
            chance = random.Random(chosen.seed)
            for number in range(chosen.jobs):
                name = f"{chosen.seed}-{number:02d}"
                (folder / name).mkdir(parents=True, exist_ok=True)
                known[name] = run(folder / name, chosen.python, chance, number)
                listing.write_text(yaml.safe_dump(known, sort_keys=False), encoding="utf-8")
        judged(folder, known)


if __name__ == "__main__":
    main()
