"""Read the driver and its GPUs through NVML."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from logsense.machine.gpu.fields import MEMORY, fields_of, fill, is_lost
from logsense.machine.gpu.nvml import LOST, NoValueError, Nvml, TimeLimit
from logsense.model.machine import Driver, Gpu
from logsense.util.files import text_of

LIMIT_S = 5.0


def read_gpus(own_pids: Collection[int] = (), limit_s: float = LIMIT_S) -> tuple[Driver, tuple[Gpu, ...]]:
    """Return the driver and all its GPUs and MIG slices; `own_pids` are the job's processes.

    Never raises, and takes at most `limit_s` seconds: what a hanging driver has not returned by then is missing.
    """
    reading = _Reading(own_pids)
    if not TimeLimit().run(reading.run, limit_s):
        reading.driver.setdefault("problem", f"the driver did not respond within {limit_s:g} s")
    return reading.result()


def gpu_facts(driver: Driver, gpus: Collection[Gpu]) -> dict[str, object]:
    """Return the facts about the driver and one GPU, under the names that rules use.

    The GPU is the first with a problem, or else the fullest.
    """
    facts: dict[str, object] = {"driver.version": driver.version, "driver.cuda": driver.cuda}
    facts |= {"driver.kernel": driver.kernel, "nvml.reason": driver.problem or None}
    whole = [gpu for gpu in gpus if gpu.parent is None]
    if not driver.problem:
        facts["gpu.count"] = len(whole)
    chosen = next((gpu for gpu in whole if problems_of(gpu)), None)
    chosen = chosen or max(whole, key=lambda gpu: (gpu.memory_used_bytes or 0, -gpu.number), default=None)
    if chosen is not None:
        others = [one for one in chosen.processes or () if one.owner != "ours"]
        facts |= {
            "gpu.watched": chosen.number,
            "gpu.name": chosen.name,
            "gpu.uuid": chosen.uuid,
            "gpu.pci": chosen.pci,
            "gpu.serial": chosen.serial,
            "gpu.capability": chosen.capability,
            "gpu.temperature": chosen.temperature_celsius,
            "gpu.compute_mode": "exclusive" if "Exclusive" in (chosen.compute_mode or "") else None,
            "gpu.gone": chosen.lost or None,
            "gpu.throttled_by": ", ".join(chosen.throttled) if chosen.throttled else None,
            "gpu.memory_total": chosen.memory_total_bytes,
            "gpu.memory_free": chosen.memory_free_bytes,
            "gpu.others_now": sum(one.memory_used_bytes or 0 for one in others) or None,
            "ecc.uncorrectable": chosen.ecc_uncorrected,
            "remap.uncorrectable": chosen.remapped_uncorrected,
            "remap.pending": "Yes" if chosen.remap_pending else None,
            "remap.failed": "Yes" if chosen.remap_failed else None,
            "recovery.action": chosen.recovery if chosen.recovery not in (None, "none") else None,
        }
    return {name: value for name, value in facts.items() if value is not None}


def problems_of(gpu: Gpu) -> list[str]:
    """Return the problems of `gpu`, in a few words each, worst first."""
    found = []
    if gpu.lost:
        found.append("unreachable: it has fallen off the bus")
    if gpu.remap_failed:
        found.append("a faulty memory row could not be remapped")
    if gpu.recovery not in (None, "none"):
        found.append(f"the driver requests: {gpu.recovery}")
    if gpu.ecc_uncorrected:
        found.append(f"{gpu.ecc_uncorrected} uncorrectable memory errors since the driver was loaded")
    if gpu.remap_pending or gpu.retired_pending:
        found.append("a faulty memory row is replaced at the next GPU reset")
    if gpu.throttled:
        found.append(f"clocks reduced: {', '.join(gpu.throttled)}")
    if gpu.pcie_width and gpu.pcie_width_max and gpu.pcie_width < gpu.pcie_width_max:
        found.append(f"PCIe link with {gpu.pcie_width} of {gpu.pcie_width_max} lanes")
    down = [link for link, is_active in enumerate(gpu.nvlinks or ()) if not is_active]
    if down and len(down) < len(gpu.nvlinks or ()):
        found.append(f"NVLink {', '.join(map(str, down))} down")
    if gpu.fabric in ("not started", "in progress"):
        found.append(f"NVSwitch fabric {gpu.fabric}")
    return found


class _Reading:
    """Read everything, value by value, so that earlier values are there if a later one hangs."""

    def __init__(self, own_pids: Collection[int]) -> None:
        self._own = own_pids
        self.driver: dict[str, Any] = {}
        self.gpus: list[dict[str, Any]] = []

    def run(self) -> None:
        self.driver["kernel"] = _kernel_version()
        try:
            nvml = Nvml()
        except NoValueError as error:
            self.driver["problem"] = str(error)
            return
        try:
            self._all(nvml)
        except NoValueError as error:
            self.driver["problem"] = str(error)
        finally:
            nvml.close()

    def result(self) -> tuple[Driver, tuple[Gpu, ...]]:
        return Driver(**self.driver), tuple(Gpu(**values) for values in list(self.gpus))

    def _all(self, nvml: Nvml) -> None:
        fill(self.driver, "version", lambda: nvml.call("nvmlSystemGetDriverVersion"))
        cuda = "nvmlSystemGetCudaDriverVersion_v2"
        fill(self.driver, "cuda", lambda: "{}.{}".format(*divmod(nvml.call(cuda) // 10, 100)))
        for number in range(nvml.call("nvmlDeviceGetCount")):
            values: dict[str, Any] = {"number": number}
            self.gpus.append(values)
            try:
                handle = nvml.call("nvmlDeviceGetHandleByIndex", number)
            except NoValueError as error:
                values["lost"] = error.status == LOST
                continue
            for field, read in fields_of(nvml, handle, self._own).items():
                fill(values, field, read)
            values["lost"] = is_lost(nvml, handle)
            if values.get("mig"):
                self._slices(nvml, number, handle, values.get("uuid"))

    def _slices(self, nvml: Nvml, number: int, handle: Any, parent: str | None) -> None:
        try:
            most = nvml.call("nvmlDeviceGetMaxMigDeviceCount", handle)
        except NoValueError:
            return
        for slot in range(most):
            try:
                part = nvml.call("nvmlDeviceGetMigDeviceHandleByIndex", handle, slot)
            except NoValueError:
                continue
            values: dict[str, Any] = {"number": number, "parent": parent or f"GPU {number}"}
            self.gpus.append(values)
            every = fields_of(nvml, part, self._own)
            for field in ("name", "uuid", *MEMORY, "processes"):
                fill(values, field, every[field])


def _kernel_version() -> str | None:
    """Return the version of the loaded kernel driver. https://download.nvidia.com/XFree86/Linux-x86_64/ (README,
    /proc)"""
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", text_of("/proc/driver/nvidia/version"))
    return found[1] if found else None
