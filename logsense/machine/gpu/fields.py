"""How each value of a GPU is read."""

from __future__ import annotations

from collections.abc import Callable, Collection

from logsense.machine.gpu.nvml import LOST, NoValueError, Nvml, owner_of
from logsense.model.machine import GpuProcess, NvLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MHZ = 1_000_000
# Reasons for low clocks that tell of trouble, by their bits: an idle GPU and settings of a user are left out, and so is
# the power limit that software keeps, which a busy GPU reaches all the time.
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
NVLINK_ERRORS = {"replay": 0, "recovery": 1, "crc_flit": 2, "crc_data": 3}
MOST_NVLINKS = 18
CORRECTED, UNCORRECTED, SINCE_LOAD, EVER = 0, 1, 0, 1


def fill(values: dict[str, Any], missing: dict[str, str], field: str, read: Callable[[], Any]) -> None:
    """Reads one field into `values`, or why it is not to be had into `missing`."""
    try:
        values[field] = read()
    except NoValueError as error:
        missing[field] = str(error)
    except Exception as error:  # noqa: BLE001 - an answer of an unknown shape
        missing[field] = f"{type(error).__name__}: {error}"


MEMORY = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes")


def fields_of(nvml: Nvml, handle: Any, own: Collection[int]) -> dict[str, Callable[[], Any]]:
    """How each field of a Gpu is read."""
    ask = nvml.ask
    memory = _Once(lambda: memory_of(nvml, handle))
    rows = _Once(lambda: ask("nvmlDeviceGetRemappedRows", handle))
    return {
        "name": lambda: ask("nvmlDeviceGetName", handle),
        "uuid": lambda: ask("nvmlDeviceGetUUID", handle),
        "pci": lambda: address_of(nvml, handle),
        "serial": lambda: ask("nvmlDeviceGetSerial", handle),
        "capability": lambda: ".".join(map(str, ask("nvmlDeviceGetCudaComputeCapability", handle))),
        "memory_total_bytes": lambda: memory()["total"],
        "memory_used_bytes": lambda: memory()["used"],
        "memory_free_bytes": lambda: memory()["free"],
        "memory_reserved_bytes": lambda: memory()["reserved"],
        "processes": lambda: _processes(nvml, handle, own),
        "utilisation": lambda: ask("nvmlDeviceGetUtilizationRates", handle).gpu / 100,
        "memory_utilisation": lambda: ask("nvmlDeviceGetUtilizationRates", handle).memory / 100,
        "sm_clock_hz": lambda: ask("nvmlDeviceGetClockInfo", handle, 1) * MHZ,
        "sm_clock_max_hz": lambda: ask("nvmlDeviceGetMaxClockInfo", handle, 1) * MHZ,
        "throttled": lambda: throttled_by(nvml, handle),
        "temperature_celsius": lambda: ask("nvmlDeviceGetTemperature", handle, 0),
        "slowdown_celsius": lambda: ask("nvmlDeviceGetTemperatureThreshold", handle, 1),
        "shutdown_celsius": lambda: ask("nvmlDeviceGetTemperatureThreshold", handle, 0),
        "power_watts": lambda: ask("nvmlDeviceGetPowerUsage", handle) / 1000,
        "power_limit_watts": lambda: ask("nvmlDeviceGetEnforcedPowerLimit", handle) / 1000,
        "ecc": lambda: bool(ask("nvmlDeviceGetCurrentEccMode", handle)),
        "ecc_corrected": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, CORRECTED, SINCE_LOAD),
        "ecc_uncorrected": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, UNCORRECTED, SINCE_LOAD),
        "ecc_uncorrected_ever": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, UNCORRECTED, EVER),
        "retired_pages": lambda: sum(len(ask("nvmlDeviceGetRetiredPages", handle, cause)) for cause in (0, 1)),
        "retired_pending": lambda: bool(ask("nvmlDeviceGetRetiredPagesPendingStatus", handle)),
        "remapped_corrected": lambda: rows()[0],
        "remapped_uncorrected": lambda: rows()[1],
        "remap_pending": lambda: bool(rows()[2]),
        "remap_failed": lambda: bool(rows()[3]),
        "nvlinks": lambda: _nvlinks(nvml, handle),
        "pcie_generation": lambda: ask("nvmlDeviceGetCurrPcieLinkGeneration", handle),
        "pcie_generation_max": lambda: ask("nvmlDeviceGetMaxPcieLinkGeneration", handle),
        "pcie_width": lambda: ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
        "pcie_width_max": lambda: ask("nvmlDeviceGetMaxPcieLinkWidth", handle),
        "pcie_replays": lambda: ask("nvmlDeviceGetPcieReplayCounter", handle),
        "compute_mode": lambda: COMPUTE_MODES.get(ask("nvmlDeviceGetComputeMode", handle)),
        "persistence": lambda: bool(ask("nvmlDeviceGetPersistenceMode", handle)),
        "mig": lambda: bool(ask("nvmlDeviceGetMigMode", handle)[0]),
        "fabric": lambda: _fabric(nvml, handle),
        "recovery": lambda: RECOVERY.get(_field(nvml, handle, "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION")),
    }


class _Once:
    """A reading that several fields share."""

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read
        self._value: Any = None
        self._error: NoValueError | None = None
        self._done = False

    def __call__(self) -> Any:
        if not self._done:
            self._done = True
            try:
                self._value = self._read()
            except NoValueError as error:
                self._error = error
        if self._error:
            raise self._error
        return self._value


def address_of(nvml: Nvml, handle: Any) -> str:
    """Where a GPU is on the bus."""
    return _text(nvml.ask("nvmlDeviceGetPciInfo", handle).busId)


def memory_of(nvml: Nvml, handle: Any) -> dict[str, int]:
    """Memory in bytes. Only the second version of the call tells what the driver keeps for itself."""
    try:
        found = nvml.ask("nvmlDeviceGetMemoryInfo", handle, nvml.constant("nvmlMemory_v2"))
        return {"total": found.total, "used": found.used, "free": found.free, "reserved": found.reserved}
    except NoValueError as error:
        if error.status == LOST:
            raise
    found = nvml.ask("nvmlDeviceGetMemoryInfo", handle)
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
            owner, name, user = owner_of(one.pid, own)
            kind_of = {"Compute": "compute", "Graphics": "graphics"}.get(kind, "mps")
            found.setdefault(one.pid, GpuProcess(one.pid, one.usedGpuMemory, name, user, owner, kind_of))
    if problem and not found:
        raise problem
    return tuple(sorted(found.values(), key=lambda one: -(one.memory_used_bytes or 0)))


def processes_of(nvml: Nvml, handle: Any, kind: str) -> list[Any]:
    """The processes of one kind; drivers before 510 know only the second version of the call."""
    name = f"nvmlDeviceGet{kind}RunningProcesses"
    try:
        return list(nvml.ask(name, handle))
    except NoValueError as error:
        if error.status not in ("UNKNOWN", "FUNCTION_NOT_FOUND"):
            raise
    return list(nvml.ask(f"{name}_v2", handle))


def throttled_by(nvml: Nvml, handle: Any) -> tuple[str, ...]:
    """Why the clocks are held down, where that tells of trouble."""
    try:
        bits = nvml.ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
    except NoValueError as error:
        if error.status == LOST:
            raise
        bits = nvml.ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)  # its name before driver 535
    return tuple(words for bit, words in THROTTLED.items() if bits & bit)


def _nvlinks(nvml: Nvml, handle: Any) -> tuple[NvLink, ...]:
    found = []
    for link in range(MOST_NVLINKS):
        try:
            active = bool(nvml.ask("nvmlDeviceGetNvLinkState", handle, link))
        except NoValueError as error:
            if error.status == LOST:
                raise
            break
        errors = {}
        for name, counter in NVLINK_ERRORS.items():
            try:
                count = nvml.ask("nvmlDeviceGetNvLinkErrorCounter", handle, link, counter)
            except NoValueError:
                continue
            if count:
                errors[name] = count
        found.append(NvLink(link, active, errors))
    return tuple(found)


def _fabric(nvml: Nvml, handle: Any) -> str | None:
    import pynvml  # the structure that the call fills is the module's own

    info = pynvml.c_nvmlGpuFabricInfoV_t()
    nvml.ask("nvmlDeviceGetGpuFabricInfoV", handle, pynvml.byref(info))
    return FABRIC.get(info.state)


def _field(nvml: Nvml, handle: Any, name: str) -> int:
    found = nvml.ask("nvmlDeviceGetFieldValues", handle, [nvml.constant(name)])[0]
    if found.nvmlReturn:
        raise NoValueError("NOT_SUPPORTED", "this GPU does not support it")
    return int(found.value.uiVal)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
