"""Read each field of a GPU from NVML."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from logsense.machine.gpu.nvml import LOST, NoValueError, Nvml, owner_of
from logsense.model.machine import GpuProcess

# Bits of the reasons for low clocks that indicate a problem. Idling and settings of a user do not, nor does the power
# limit in software, which a busy GPU reaches all the time.
# https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
THROTTLED = {
    0x08: "hardware slowdown",
    0x20: "thermal slowdown by software",
    0x40: "thermal slowdown by hardware",
    0x80: "power brake by hardware",
}
COMPUTE_MODES = {0: "Default", 1: "Exclusive_Thread", 2: "Prohibited", 3: "Exclusive_Process"}
FABRIC = {0: "not supported", 1: "not started", 2: "in progress", 3: "completed"}
RECOVERY = {0: "none", 1: "reset", 2: "reboot", 3: "drain peer-to-peer", 4: "drain and reset"}
MOST_NVLINKS = 18
UNCORRECTED, SINCE_LOAD = 1, 0
MEMORY = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes")


def fill(values: dict[str, Any], field: str, read: Callable[[], Any]) -> None:
    """Read a field into `values`, if it is available."""
    try:
        values[field] = read()
    except Exception:  # noqa: BLE001, S110 - also an unknown kind of response
        pass


def is_lost(nvml: Nvml, handle: Any) -> bool:
    """Return whether the simplest call to a GPU says that it can't be reached."""
    try:
        nvml.call("nvmlDeviceGetMemoryInfo", handle)
    except NoValueError as error:
        return error.status == LOST
    return False


def fields_of(nvml: Nvml, handle: Any, own: Collection[int]) -> dict[str, Callable[[], Any]]:
    """Return the function that reads each field of a Gpu."""
    call = nvml.call
    memory = cache(lambda: memory_of(nvml, handle))
    rows = cache(lambda: call("nvmlDeviceGetRemappedRows", handle))
    return {
        "name": lambda: call("nvmlDeviceGetName", handle),
        "uuid": lambda: call("nvmlDeviceGetUUID", handle),
        "pci": lambda: _address_of(nvml, handle),
        "serial": lambda: call("nvmlDeviceGetSerial", handle),
        "capability": lambda: ".".join(map(str, call("nvmlDeviceGetCudaComputeCapability", handle))),
        "memory_total_bytes": lambda: memory()["total"],
        "memory_used_bytes": lambda: memory()["used"],
        "memory_free_bytes": lambda: memory()["free"],
        "memory_reserved_bytes": lambda: memory()["reserved"],
        "processes": lambda: _processes(nvml, handle, own),
        "utilisation": lambda: call("nvmlDeviceGetUtilizationRates", handle).gpu / 100,
        "throttled": lambda: _throttled_by(nvml, handle),
        "temperature_celsius": lambda: call("nvmlDeviceGetTemperature", handle, 0),
        "power_watts": lambda: call("nvmlDeviceGetPowerUsage", handle) / 1000,
        "ecc_uncorrected": lambda: call("nvmlDeviceGetTotalEccErrors", handle, UNCORRECTED, SINCE_LOAD),
        "retired_pending": lambda: bool(call("nvmlDeviceGetRetiredPagesPendingStatus", handle)),
        "remapped_uncorrected": lambda: rows()[1],
        "remap_pending": lambda: bool(rows()[2]),
        "remap_failed": lambda: bool(rows()[3]),
        "nvlinks": lambda: _nvlinks(nvml, handle),
        "pcie_width": lambda: call("nvmlDeviceGetCurrPcieLinkWidth", handle),
        "pcie_width_max": lambda: call("nvmlDeviceGetMaxPcieLinkWidth", handle),
        "compute_mode": lambda: COMPUTE_MODES.get(call("nvmlDeviceGetComputeMode", handle)),
        "mig": lambda: bool(call("nvmlDeviceGetMigMode", handle)[0]),
        "fabric": lambda: _fabric(nvml, handle),
        "recovery": lambda: RECOVERY.get(_field(nvml, handle, "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION")),
    }


def _address_of(nvml: Nvml, handle: Any) -> str:
    """Return the PCI address of a GPU."""
    address = nvml.call("nvmlDeviceGetPciInfo", handle).busId
    return address.decode("utf-8", "replace") if isinstance(address, bytes) else str(address)


def memory_of(nvml: Nvml, handle: Any) -> dict[str, int]:
    """Return the memory in bytes; only version 2 of the call knows what the driver reserves."""
    try:
        found = nvml.call("nvmlDeviceGetMemoryInfo", handle, nvml.constant("nvmlMemory_v2"))
        return {"total": found.total, "used": found.used, "free": found.free, "reserved": found.reserved}
    except NoValueError as error:
        if error.status == LOST:
            raise
    found = nvml.call("nvmlDeviceGetMemoryInfo", handle)
    return {"total": found.total, "used": found.used, "free": found.free, "reserved": 0}


def _processes(nvml: Nvml, handle: Any, own: Collection[int]) -> tuple[GpuProcess, ...]:
    found: dict[int, GpuProcess] = {}
    problem: NoValueError | None = None
    for kind in ("Compute", "Graphics", "MPSCompute"):
        try:
            listed = processes_of(nvml, handle, kind)
        except NoValueError as error:
            problem = error if kind == "Compute" else problem
            continue
        for one in listed:
            owner, name = owner_of(one.pid, own)
            found.setdefault(one.pid, GpuProcess(one.pid, one.usedGpuMemory, name, owner))
    if problem and not found:
        raise problem
    return tuple(sorted(found.values(), key=lambda one: -(one.memory_used_bytes or 0)))


def processes_of(nvml: Nvml, handle: Any, kind: str) -> list[Any]:
    """Return the processes of a kind; drivers before 510 know only version 2 of the call."""
    name = f"nvmlDeviceGet{kind}RunningProcesses"
    try:
        return list(nvml.call(name, handle))
    except NoValueError as error:
        if error.status not in ("UNKNOWN", "FUNCTION_NOT_FOUND"):
            raise
    return list(nvml.call(f"{name}_v2", handle))


def _throttled_by(nvml: Nvml, handle: Any) -> tuple[str, ...]:
    """Return the reasons for reduced clocks that indicate a problem."""
    try:
        bits = nvml.call("nvmlDeviceGetCurrentClocksEventReasons", handle)
    except NoValueError as error:
        if error.status == LOST:
            raise
        bits = nvml.call("nvmlDeviceGetCurrentClocksThrottleReasons", handle)  # its name before driver 535
    return tuple(words for bit, words in THROTTLED.items() if bits & bit)


def _nvlinks(nvml: Nvml, handle: Any) -> tuple[bool, ...]:
    """Return for each NVLink whether it is active."""
    found: list[bool] = []
    for link in range(MOST_NVLINKS):
        try:
            found.append(bool(nvml.call("nvmlDeviceGetNvLinkState", handle, link)))
        except NoValueError as error:  # noqa: PERF203
            if error.status == LOST:
                raise
            break
    return tuple(found)


def _fabric(nvml: Nvml, handle: Any) -> str | None:
    import pynvml  # for the structure that the call fills

    info = pynvml.c_nvmlGpuFabricInfoV_t()
    nvml.call("nvmlDeviceGetGpuFabricInfoV", handle, pynvml.byref(info))
    return FABRIC.get(info.state)


def _field(nvml: Nvml, handle: Any, name: str) -> int:
    found = nvml.call("nvmlDeviceGetFieldValues", handle, [nvml.constant(name)])[0]
    if found.nvmlReturn:
        raise NoValueError("NOT_SUPPORTED", "this GPU does not support it")
    return int(found.value.uiVal)
