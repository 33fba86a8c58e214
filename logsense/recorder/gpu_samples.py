"""Sample all GPUs once a second."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from logsense.machine.gpu.fields import fields_of, fill, is_lost, memory_of, processes_of
from logsense.machine.gpu.nvml import NoValueError, Nvml, TimeLimit, owner_of
from logsense.model.run import GpuSample, Holder

SAMPLE_LIMIT_S = 2.0
LEAST_HELD_BYTES = 64 << 20
MOST_OTHERS = 4
FIELDS = ("pci", "utilisation", "temperature_celsius", "throttled", "ecc_uncorrected")


class GpuSampler:
    """Sample all GPUs; keep NVML open in between."""

    def __init__(self) -> None:
        self._limit = TimeLimit()
        self._nvml: Nvml | None = None
        self._handles: list[Any] = []

    def sample(self, own_pids: Collection[int] = ()) -> tuple[GpuSample, ...]:
        """Return a sample of every GPU; none if the driver hangs. `own_pids` are the job's processes."""
        found: list[GpuSample] = []
        if not self._limit.run(lambda: self._sample_all(own_pids, found), SAMPLE_LIMIT_S):
            return ()
        return tuple(found)

    def _sample_all(self, own_pids: Collection[int], found: list[GpuSample]) -> None:
        try:
            if self._nvml is None:
                self._nvml = Nvml()
                count = self._nvml.call("nvmlDeviceGetCount")
                self._handles = [self._nvml.call("nvmlDeviceGetHandleByIndex", number) for number in range(count)]
        except NoValueError:
            return
        for number, handle in enumerate(self._handles):
            found.append(_sample(self._nvml, number, handle, own_pids))


def _sample(nvml: Nvml, number: int, handle: Any, own: Collection[int]) -> GpuSample:
    values: dict[str, Any] = {}
    every = fields_of(nvml, handle, own)
    for field in FIELDS:
        fill(values, field, every[field])
    fill(values, "memory", lambda: memory_of(nvml, handle))
    fill(values, "listed", lambda: processes_of(nvml, handle, "Compute"))
    memory, listed = values.pop("memory", {}), values.pop("listed", None)
    others = [one for one in listed or () if one.pid not in own and (one.usedGpuMemory or 0) >= LEAST_HELD_BYTES]
    others.sort(key=lambda one: -one.usedGpuMemory)
    return GpuSample(
        number=number,
        memory_total_bytes=memory.get("total"),
        memory_used_bytes=memory.get("used"),
        ours_bytes=None if listed is None else sum(one.usedGpuMemory or 0 for one in listed if one.pid in own),
        others=tuple(Holder(one.pid, owner_of(one.pid, own)[1], one.usedGpuMemory) for one in others[:MOST_OTHERS]),
        lost=not memory and is_lost(nvml, handle),
        **values,
    )
