"""Measure `logsense explain` on a log of one shape against every program that can read it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import logs
from measure import LOGSENSE, Run, best, measured
from peers import Peer

SLOW_REPEAT = 1
SLOW_LIMIT_S = 30.0


def scan(
    shape: str, size: int, repeat: int, folder: Path, known: Sequence[Peer], real: Path | None = None
) -> dict[str, Any]:
    """Return what `shape` took: bytes, seconds, memory, and what each peer took.

    Logs are written to `folder` and deleted. `real` is a folder of real logs.
    """
    log = folder / f"train.log{logs.ENDINGS.get(shape, '')}"
    here = [peer for peer in known if shape in peer.shapes and not peer.missing]
    explain = [*LOGSENSE, "explain", "--format", "json"]
    written(shape, log, size, real)
    files = inputs(log)
    commands: dict[str, Sequence[str]] = {"logsense": [*explain, str(log)]}
    commands |= {peer.name: peer.command(files) for peer in here if peer.most_bytes is None}
    if shape == "quiet" and shutil.which("taskset"):
        commands["one core"] = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *commands["logsense"]]
    measured(commands["logsense"])  # fills the caches, of files too
    runs = best(commands, repeat)
    ours, report = runs.pop("logsense"), {}
    report = json.loads(ours.output)
    found = {
        "bytes": size,
        "seconds": ours.seconds,
        "peak_bytes": ours.peak_bytes,
        "found": report["diagnoses"][0]["cause"] if report["diagnoses"] else report["outcome"],
        "peers": {name: told(size, run) for name, run in runs.items()},
    }
    removed(log)
    slow = [peer for peer in here if peer.most_bytes is not None]
    few = min(size, max((peer.most_bytes or 0 for peer in slow), default=0))
    if slow:
        written(shape, log, few, real)
        files = inputs(log)
        runs = best({peer.name: peer.command(files) for peer in slow}, SLOW_REPEAT, SLOW_LIMIT_S)
        found["peers"] |= {name: told(few, run) for name, run in runs.items()}
        removed(log)
    return found


def told(size: int, run: Run) -> dict[str, Any]:
    """Return what is kept of a peer's run."""
    return {"bytes": size, "seconds": run.seconds, "stopped": run.stopped}


def written(shape: str, path: Path, size: int, real: Path | None = None) -> None:
    """Write the log in a process of its own, whose memory is not counted as that of what is measured."""
    folder = [str(real)] if shape == "real" else []
    subprocess.run([sys.executable, logs.__file__, shape, str(path), str(size), *folder], check=True)


def inputs(log: Path) -> list[str]:
    """Return the files that the log consists of."""
    return [str(log)] if log.is_file() else sorted(map(str, log.iterdir()))


def removed(log: Path) -> None:
    """Delete the log."""
    shutil.rmtree(log) if log.is_dir() else log.unlink()
