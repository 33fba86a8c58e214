"""Notices that memory climbs and when it will be full, or that it nearly is."""

from __future__ import annotations

import os
import sys

from logsense.integrations.callbacks.alert import Alert
from logsense.model.values import show_bytes, show_seconds
from logsense.recorder.trends import climb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.run import Sample

# A climb that would take longer than this until memory is full need not be told yet; nor one that has not gone on for
# as long as it would have to go on: caches that fill up in the first minutes look like leaks.
SOON_S = 2 * 3600.0
NEARLY_FULL = 0.95
MOST_POINTS = 720
GPU, HOST = "gpu-memory", "host-memory"


class Memory:
    """Looks at the memory of the host and of the GPUs that PyTorch holds tensors on; says each thing once."""

    def __init__(self) -> None:
        self._points: dict[str, list[tuple[float, float]]] = {}
        self._told: set[str] = set()

    def see_host(self, sample: Sample, step: int | None) -> Alert | None:
        """Takes in what the host shows at one moment."""
        host, held = sample.host, sample.job.rss_bytes
        used, limit = host.cgroup_used_bytes, host.cgroup_limit_bytes
        if limit is None or used is None:
            if host.ram_total_bytes is None or host.ram_available_bytes is None:
                return None
            used, limit = host.ram_total_bytes - host.ram_available_bytes, host.ram_total_bytes
        if used >= NEARLY_FULL * limit and "full" not in self._told:
            self._told.add("full")
            ours = f"; this job's processes hold {show_bytes(held)}" if held else ""
            says = f"Host memory is nearly full: {show_bytes(used)} of {show_bytes(limit)}{ours}."
            return Alert(HOST, f"{says} When it is, the kernel kills a process without a word in the log.", step)
        if held is None:
            return None
        advice = "Often a list that keeps tensors, or a cache in the workers of a data loader."
        return self._climbs(HOST, "Host memory of this job", sample.after_s, held, limit - used + held, advice, step)

    def see_gpus(self, at_s: float, step: int | None) -> list[Alert]:
        """Asks PyTorch what its live tensors take on each GPU; nothing where it has not started on any."""
        advice = "Often losses or outputs that are kept with their graph: use .item() or .detach()."
        told = [
            self._climbs(f"{GPU} {number}", f"Memory in tensors on GPU {number}", at_s, held, limit, advice, step)
            for number, held, limit in _held_by_torch()
        ]
        return [one for one in told if one]

    def _climbs(
        self, key: str, what: str, at_s: float, held: float, limit: float, advice: str, step: int | None
    ) -> Alert | None:
        points = self._points.setdefault(key, [])
        points.append((at_s, held))
        if len(points) > MOST_POINTS:
            del points[: MOST_POINTS // 2 : 2]
        if key in self._told:
            return None
        growth = climb(points, limit)
        if not growth:
            return None
        left_s = 60.0 * max(limit - held, 0.0) / growth.per_minute
        if left_s > min(SOON_S, growth.for_s):
            return None
        self._told.add(key)
        says = (
            f"{what} has grown by {show_bytes(growth.rise)} in {show_seconds(growth.for_s)} and still does. "
            f"At {show_bytes(growth.per_minute)} a minute, {show_bytes(limit)} are full "
            f"in about {show_seconds(left_s)}."
        )
        return Alert(key.split(" ")[0], f"{says} {advice}", step)


def _held_by_torch() -> list[tuple[int, int, int]]:
    """(GPU, bytes in live tensors, bytes in all) for each GPU of this process that PyTorch has started on."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    try:
        if cuda is None or not cuda.is_initialized():
            return []
        numbers = [number for number in range(cuda.device_count()) if cuda.memory_allocated(number)]
        return [
            (number, cuda.memory_allocated(number), cuda.get_device_properties(number).total_memory)
            for number in numbers
        ]
    except Exception:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        return []
