"""Detect what happens to the GPUs of a training loop from outside: other processes and faults."""

from __future__ import annotations

import os

from logsense.integrations.callbacks.alert import Alert
from logsense.machine.host.processes import tree
from logsense.model.run import GpuSample, Holder, Sample
from logsense.model.values import show_bytes

# Memory that another process takes is reported from this size and share of the GPU.
LEAST_BYTES, LEAST_SHARE = 1 << 30, 0.02
KIND = "gpu"


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
