"""Logs to count on, which do not depend on the catalog."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

FAILURE = (Path(__file__).parents[2] / "benchmarks/failure.log").read_text(encoding="utf-8")
KNOWN = (
    "OSError: [Errno 28] No space left on device\n",
    "ModuleNotFoundError: No module named 'flash_attn'\n",
    "slurmstepd: error: *** JOB 771 ON node7 CANCELLED AT 2026-05-03T06:01:07 DUE TO TIME LIMIT ***\n",
    (
        "[rank3]:[E503 06:01:07.926 ProcessGroupNCCL.cpp:629] [Rank 3] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=59820, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600029 "
        "milliseconds before timing out.\n"
    ),
    "RuntimeError: CUDA error: an illegal memory access was encountered\n",
)


def healthy(count: int) -> list[str]:
    """Return so many lines of successful training."""
    found: list[str] = []
    for step in range(count // 4 + 1):
        loss = 9 / (1 + step**0.3)
        found += [
            f"[2026-05-03 {step // 3600 % 24:02d}:{step // 60 % 60:02d}:{step % 60:02d},926][train][INFO] - step {step} loss {loss:.4f}\n",
            f"{{'loss': {loss:.4f}, 'grad_norm': 0.31, 'learning_rate': 2.9e-05, 'epoch': {step / 1000:.2f}}}\n",
            f"Epoch {step // 1000}: {step % 100:3d}%|███       | {step % 1000}/1000 [{step % 60:02d}:07<01:12, 3.1it/s]\r",
            f"[rank{step % 8}]: I0501 06:11:{step % 60:02d}.926000 {step} trainer.py:88] tokens/s 61000 mfu 0.413\n",
        ]
    return found[:count]


def quiet(lines: int, times: int = 1) -> bytes:
    """Return healthy output, repeated, with one failure at its end."""
    return ("".join(healthy(lines)) * times + FAILURE).encode()


def dense(lines: int, every: int) -> bytes:
    """Return a known message on every so many-th line, and the failure at the end."""
    known, parts = cycle(KNOWN), healthy(lines)
    parts[every - 1 :: every] = islice(known, len(parts[every - 1 :: every]))
    return "".join([*parts, FAILURE]).encode()


PASTE = quiet(13).decode()
