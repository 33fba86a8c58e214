"""Detect what endangers a training loop from outside: memory that runs full, other processes, faults of GPUs."""

from __future__ import annotations

import os
import sys

from logsense.integrations.callbacks.alert import Alert
from logsense.machine.host.processes import tree
from logsense.model.run import GpuSample, Holder, Sample
from logsense.model.values import show_bytes, show_seconds
from logsense.recorder.history import memory_of
from logsense.recorder.trends import climb
from logsense.util.errors import IgnoredErrors

# Growth is reported if memory will be full within this time, and has grown for as long as it still takes: caches that
# fill up in the first minutes look like leaks.
SOON_S = 2 * 3600.0
NEARLY_FULL = 0.95
MOST_POINTS = 720
GPU, HOST = "gpu-memory", "host-memory"
# Memory that another process takes is reported from this size and share of the GPU.
LEAST_BYTES, LEAST_SHARE = 1 << 30, 0.02
KIND = "gpu"


class Memory:
    """Check host memory, and the memory of GPUs with PyTorch tensors. Each problem is reported once."""

    def __init__(self) -> None:
        self._points: dict[str, list[tuple[float, float]]] = {}
        self._reported: set[str] = set()

    def check_host(self, sample: Sample, step: int | None) -> Alert | None:
        """Return an alert if host memory in `sample` is nearly full or grows steadily."""
        held = sample.job.rss_bytes
        used, limit, _ = memory_of(sample.host)
        if used is None or limit is None:
            return None
        if used >= NEARLY_FULL * limit and "full" not in self._reported:
            self._reported.add("full")
            ours = f"; this job's processes hold {show_bytes(held)}" if held else ""
            says = f"Host memory is nearly full: {show_bytes(used)} of {show_bytes(limit)}{ours}."
            return Alert(HOST, f"{says} When it is full, the kernel kills a process without a log message.", step)
        if held is None:
            return None
        advice = "Common reasons: a list that keeps tensors, or a cache in data-loader workers."
        return self._growth(HOST, "Host memory of this job", sample.after_s, held, limit - used + held, advice, step)

    def check_gpus(self, at_s: float, step: int | None) -> list[Alert]:
        """Return alerts for GPUs on which PyTorch's live tensors grow steadily. `at_s` is the time, in seconds."""
        advice = "A common reason: losses or outputs kept with their autograd graph; use .item() or .detach()."
        alerts = [
            self._growth(f"{GPU} {number}", f"Memory in tensors on GPU {number}", at_s, held, limit, advice, step)
            for number, held, limit in _held_by_torch()
        ]
        return [one for one in alerts if one]

    def _growth(
        self, key: str, what: str, at_s: float, held: float, limit: float, advice: str, step: int | None
    ) -> Alert | None:
        points = self._points.setdefault(key, [])
        points.append((at_s, held))
        if len(points) > MOST_POINTS:
            del points[: MOST_POINTS // 2 : 2]
        if key in self._reported:
            return None
        growth = climb(points, limit)
        if not growth:
            return None
        left_s = 60.0 * max(limit - held, 0.0) / growth.per_minute
        if left_s > min(SOON_S, growth.for_s):
            return None
        self._reported.add(key)
        says = (
            f"{what} has grown by {show_bytes(growth.rise)} in {show_seconds(growth.for_s)} and keeps growing. "
            f"At {show_bytes(growth.per_minute)} per minute, all {show_bytes(limit)} will be full "
            f"in about {show_seconds(left_s)}."
        )
        return Alert(key.split(" ")[0], f"{says} {advice}", step)


def _held_by_torch() -> list[tuple[int, int, int]]:
    """Return (GPU, bytes in live tensors, total bytes) for each GPU that PyTorch uses in this process."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    with IgnoredErrors():
        if cuda is not None and cuda.is_initialized():
            held = {number: cuda.memory_allocated(number) for number in range(cuda.device_count())}
            return [(one, size, cuda.get_device_properties(one).total_memory) for one, size in held.items() if size]
    return []


class Gpus:
    """Check the GPUs that this process holds memory on. Each problem is reported once per GPU."""

    def __init__(self) -> None:
        self._held_first: dict[int, dict[int, int]] = {}
        self._errors_first: dict[int, int] = {}
        self._reported: set[tuple[int, str]] = set()

    def check(self, sample: Sample, step: int | None) -> list[Alert]:
        """Return alerts for new problems in `sample`."""
        found = [(gpu.number, what, says) for gpu in sample.gpus for what, says in self._problems_of(gpu)]
        new = [(number, what, says) for number, what, says in found if (number, what) not in self._reported]
        self._reported.update((number, what) for number, what, _ in new)
        return [Alert(KIND, says, step) for _, _, says in new]

    def _problems_of(self, gpu: GpuSample) -> list[tuple[str, str]]:
        problems = []
        if gpu.lost:
            problems.append(("lost", f"GPU {gpu.number} no longer responds to its driver; whatever uses it will fail."))
        if gpu.ecc_uncorrected is not None:
            new = gpu.ecc_uncorrected - self._errors_first.setdefault(gpu.number, gpu.ecc_uncorrected)
            if new > 0:
                times = "an uncorrectable memory error" if new == 1 else f"{new} uncorrectable memory errors"
                problems.append(("ecc", f"GPU {gpu.number} has had {times} since training began."))
        intruder = self._intruder(gpu) if gpu.ours_bytes else None
        if intruder:
            free = (gpu.memory_total_bytes or 0) - (gpu.memory_used_bytes or 0)
            left = f"; {show_bytes(max(free, 0))} are free" if gpu.memory_total_bytes else ""
            who = f"{intruder.name} (process {intruder.pid})"
            problems.append(
                ("other", f"{who} has taken {show_bytes(intruder.memory_used_bytes)} on GPU {gpu.number}{left}.")
            )
        return problems

    def _intruder(self, gpu: GpuSample) -> Holder | None:
        """Return another process that has taken much memory since the first check, except ranks of our launcher."""
        first = self._held_first.setdefault(gpu.number, {one.pid: one.memory_used_bytes for one in gpu.others})
        least = max(LEAST_BYTES, LEAST_SHARE * (gpu.memory_total_bytes or 0))
        # In a container, the driver can report process ids of the host, even for our own processes.
        grown = [one for one in gpu.others if one.name and one.memory_used_bytes - first.get(one.pid, 0) >= least]
        if not grown or (gpu.number, "other") in self._reported:
            return None
        family = set(tree(os.getppid()))
        strangers = [one for one in grown if one.pid not in family]
        return max(strangers, key=lambda one: one.memory_used_bytes) if strangers else None
