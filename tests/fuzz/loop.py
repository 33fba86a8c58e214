"""Runs a target on many inputs and checks each run: no exception, bounded time."""

from __future__ import annotations

import hashlib
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from tests.fuzz.mutate import Mutator
from tests.fuzz.targets import Target

FOUND = Path(__file__).with_name("found")
LIMIT_S = 2.0  # for any input, even a small one
LIMIT_S_A_BYTE = 100e-6
HANG_S = 60  # of processor time


class Fault(NamedTuple):
    """What went wrong on an input."""

    data: bytes
    why: str


class Hang(BaseException):
    """A target did not return."""


def judge(target: Target, data: bytes) -> Fault | None:
    """Run `target` on `data`; return the fault, if any."""
    began = time.process_time()
    try:
        target.run(data)
    except Exception:  # noqa: BLE001 - the purpose of the test
        return Fault(data, traceback.format_exc(limit=-6))
    except Hang:
        return Fault(data, f"still running after {HANG_S} s\n{traceback.format_exc(limit=-6)}")
    took_s = time.process_time() - began
    if took_s > LIMIT_S + LIMIT_S_A_BYTE * len(data):
        return Fault(data, f"took {took_s:.1f} s for {len(data)} bytes")
    return None


def fuzz(target: Target, inputs: int, *, seed: int = 0, stop_after: int = 20, verbose: bool = False) -> list[Fault]:
    """Run `target` on `inputs` mutated seeds; return one fault for each place in the code."""
    seeds = target.seeds()
    judge(target, seeds[0])  # warms caches, whose cost is not that input's
    mutator = Mutator(seeds, seed)
    faults: dict[str, Fault] = {}
    began = time.monotonic()
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    handler = signal.signal(signal.SIGPROF, _hang)
    try:
        for number in range(inputs):
            data = mutator.next()
            signal.setitimer(signal.ITIMER_PROF, HANG_S)
            fault = judge(target, data)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if fault and fault.why not in faults:
                faults[fault.why] = fault
                if verbose:
                    print(f"--- {target.name}, input {number}\n{fault.why}", file=sys.stderr, flush=True)
                if len(faults) >= stop_after:
                    break
    finally:
        signal.signal(signal.SIGPROF, handler)
    if verbose:
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) // 1024
        print(
            f"{target.name}: {inputs:,} inputs in {time.monotonic() - began:.0f} s, {len(faults)} faults, +{grown} MiB"
        )
    return list(faults.values())


def keep(target: Target, fault: Fault) -> Path:
    """Save an input that broke something as a test case."""
    path = FOUND / target.name / hashlib.sha256(fault.data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fault.data)
    return path


def _hang(_number: int, _frame: FrameType | None) -> None:
    raise Hang
