"""The driver and its GPUs, as NVML tells of them."""

from __future__ import annotations

from logsense.machine.nvml import LOST, NoValueError, Nvml, Patience, owner_of
from logsense.model.gpu import Driver, Gpu, GpuProcess, NvLink
from logsense.model.sample import GpuSample, Holder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

LIMIT_S = 5.0
SAMPLE_LIMIT_S = 2.0
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
LEAST_HELD_BYTES = 64 << 20
MOST_OTHERS = 4
_CORRECTED, _UNCORRECTED, _SINCE_LOAD, _EVER = 0, 1, 0, 1


def read_gpus(own_pids: Collection[int] = (), limit_s: float = LIMIT_S) -> tuple[Driver, tuple[Gpu, ...]]:
    """The driver and all its GPUs and MIG slices; `own_pids` are the job's processes.

    Never raises, and takes at most `limit_s` seconds: what a driver that hangs has not told by then is missing.
    """
    reading = _Reading(own_pids)
    if not Patience().run(reading.run, limit_s):
        late = f"the driver did not answer within {limit_s:g} s"
        reading.driver["problem"] = reading.driver.get("problem") or late
        for values, missing in reading.gpus:
            missing |= dict.fromkeys((name for name in Gpu._fields if name not in values and name != "missing"), late)
    return reading.result()


class Sampler:
    """Takes samples of all GPUs; keeps NVML open in between."""

    def __init__(self) -> None:
        self._patience = Patience()
        self._nvml: Nvml | None = None
        self._handles: list[Any] = []

    def take(self, own_pids: Collection[int] = ()) -> tuple[GpuSample, ...]:
        """A sample of every GPU; empty where there are none or the driver does not answer."""
        found: list[GpuSample] = []
        if not self._patience.run(lambda: self._take(own_pids, found), SAMPLE_LIMIT_S):
            return ()
        return tuple(found)

    def _take(self, own_pids: Collection[int], found: list[GpuSample]) -> None:
        try:
            if self._nvml is None:
                self._nvml = Nvml()
                count = self._nvml.ask("nvmlDeviceGetCount")
                self._handles = [self._nvml.ask("nvmlDeviceGetHandleByIndex", number) for number in range(count)]
        except NoValueError:
            return
        for number, handle in enumerate(self._handles):
            found.append(_sample(self._nvml, number, handle, own_pids))


_sampler = Sampler()


def sample_gpus(own_pids: Collection[int] = ()) -> tuple[GpuSample, ...]:
    """A sample of every GPU, for a recorder that asks once a second."""
    return _sampler.take(own_pids)


def gpu_facts(driver: Driver, gpus: Collection[Gpu], number: int | None = None) -> dict[str, object]:
    """What the driver and one GPU state, under the names that rules know it by.

    That is GPU `number`, or else the first one in trouble, or else the fullest one.
    """
    facts: dict[str, object] = {"driver.version": driver.version, "driver.cuda": driver.cuda}
    facts |= {"driver.kernel": driver.kernel, "nvml.reason": driver.problem or None}
    whole = [gpu for gpu in gpus if gpu.parent is None]
    if not driver.problem:
        facts["gpu.count"] = len(whole)
    chosen = next((gpu for gpu in whole if gpu.number == number), None)
    chosen = chosen or next((gpu for gpu in whole if trouble(gpu)), None)
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


def trouble(gpu: Gpu) -> list[str]:
    """What is wrong with `gpu`, in a few words each, worst first; empty where all is well."""
    found = []
    if gpu.lost:
        found.append("can't be reached: it has fallen off the bus")
    if gpu.remap_failed:
        found.append("a faulty memory row could not be remapped")
    if gpu.recovery not in (None, "none"):
        found.append(f"the driver asks for: {gpu.recovery}")
    if gpu.ecc_uncorrected:
        found.append(f"{gpu.ecc_uncorrected} uncorrectable memory errors since the driver was loaded")
    if gpu.remap_pending or gpu.retired_pending:
        found.append("a faulty memory row waits for a reset of the GPU to be replaced")
    if gpu.throttled:
        found.append(f"clocks held down: {', '.join(gpu.throttled)}")
    if gpu.pcie_width and gpu.pcie_width_max and gpu.pcie_width < gpu.pcie_width_max:
        found.append(f"PCIe link with {gpu.pcie_width} of {gpu.pcie_width_max} lanes")
    down = [one.link for one in gpu.nvlinks or () if not one.active]
    if down and len(down) < len(gpu.nvlinks or ()):
        found.append(f"NVLink {', '.join(map(str, down))} down")
    if gpu.fabric in ("not started", "in progress"):
        found.append(f"NVSwitch fabric {gpu.fabric}")
    return found


class _Reading:
    """Reads everything, value by value, so that what was read is there when a later one hangs."""

    def __init__(self, own_pids: Collection[int]) -> None:
        self._own = own_pids
        self.driver: dict[str, Any] = {}
        self._driver_missing: dict[str, str] = {}
        self.gpus: list[tuple[dict[str, Any], dict[str, str]]] = []

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
        gpus = [Gpu(**values, missing=dict(missing)) for values, missing in list(self.gpus) if "number" in values]
        return Driver(**self.driver, missing=dict(self._driver_missing)), tuple(gpus)

    def _all(self, nvml: Nvml) -> None:
        for field, read in {
            "version": lambda: nvml.ask("nvmlSystemGetDriverVersion"),
            "nvml": lambda: nvml.ask("nvmlSystemGetNVMLVersion"),
            "cuda": lambda: _cuda(nvml.ask("nvmlSystemGetCudaDriverVersion_v2")),
        }.items():
            _fill(self.driver, self._driver_missing, field, read)
        for number in range(nvml.ask("nvmlDeviceGetCount")):
            values: dict[str, Any] = {"number": number}
            missing: dict[str, str] = {}
            self.gpus.append((values, missing))
            try:
                handle = nvml.ask("nvmlDeviceGetHandleByIndex", number)
            except NoValueError as error:
                values["lost"] = error.status == LOST
                missing |= dict.fromkeys((name for name in Gpu._fields if name not in values), str(error))
                continue
            for field, read in _fields(nvml, handle, self._own).items():
                _fill(values, missing, field, read)
            values["lost"] = _status_of(nvml, handle) == LOST
            if values.get("mig"):
                self._slices(nvml, number, handle, values.get("uuid"))

    def _slices(self, nvml: Nvml, number: int, handle: Any, parent: str | None) -> None:
        try:
            most = nvml.ask("nvmlDeviceGetMaxMigDeviceCount", handle)
        except NoValueError:
            return
        for slot in range(most):
            try:
                part = nvml.ask("nvmlDeviceGetMigDeviceHandleByIndex", handle, slot)
            except NoValueError:
                continue
            values: dict[str, Any] = {"number": number, "parent": parent or f"GPU {number}"}
            missing: dict[str, str] = {}
            self.gpus.append((values, missing))
            every = _fields(nvml, part, self._own)
            for field in ("name", "uuid", *_MEMORY, "processes"):
                _fill(values, missing, field, every[field])


def _fill(values: dict[str, Any], missing: dict[str, str], field: str, read: Callable[[], Any]) -> None:
    try:
        values[field] = read()
    except NoValueError as error:
        missing[field] = str(error)
    except Exception as error:  # noqa: BLE001 - an answer of an unknown shape
        missing[field] = f"{type(error).__name__}: {error}"


_MEMORY = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes")


def _fields(nvml: Nvml, handle: Any, own: Collection[int]) -> dict[str, Callable[[], Any]]:
    """How each field of a Gpu is read."""
    ask = nvml.ask
    memory = _Once(lambda: _memory(nvml, handle))
    rows = _Once(lambda: ask("nvmlDeviceGetRemappedRows", handle))
    return {
        "name": lambda: ask("nvmlDeviceGetName", handle),
        "uuid": lambda: ask("nvmlDeviceGetUUID", handle),
        "pci": lambda: _text(ask("nvmlDeviceGetPciInfo", handle).busId),
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
        "throttled": lambda: _throttled(nvml, handle),
        "temperature_celsius": lambda: ask("nvmlDeviceGetTemperature", handle, 0),
        "slowdown_celsius": lambda: ask("nvmlDeviceGetTemperatureThreshold", handle, 1),
        "shutdown_celsius": lambda: ask("nvmlDeviceGetTemperatureThreshold", handle, 0),
        "power_watts": lambda: ask("nvmlDeviceGetPowerUsage", handle) / 1000,
        "power_limit_watts": lambda: ask("nvmlDeviceGetEnforcedPowerLimit", handle) / 1000,
        "ecc": lambda: bool(ask("nvmlDeviceGetCurrentEccMode", handle)),
        "ecc_corrected": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, _CORRECTED, _SINCE_LOAD),
        "ecc_uncorrected": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, _UNCORRECTED, _SINCE_LOAD),
        "ecc_uncorrected_ever": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, _UNCORRECTED, _EVER),
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


def _memory(nvml: Nvml, handle: Any) -> dict[str, int]:
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
            listed = _listed(nvml, handle, kind)
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


def _listed(nvml: Nvml, handle: Any, kind: str) -> list[Any]:
    """The processes of one kind; drivers before 510 know only the second version of the call."""
    name = f"nvmlDeviceGet{kind}RunningProcesses"
    try:
        return list(nvml.ask(name, handle))
    except NoValueError as error:
        if error.status not in ("UNKNOWN", "FUNCTION_NOT_FOUND"):
            raise
    return list(nvml.ask(f"{name}_v2", handle))


def _throttled(nvml: Nvml, handle: Any) -> tuple[str, ...]:
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


def _status_of(nvml: Nvml, handle: Any) -> str:
    """Why the least that a GPU can tell is not to be had; "" where it is."""
    try:
        nvml.ask("nvmlDeviceGetMemoryInfo", handle)
    except NoValueError as error:
        return error.status
    return ""


def _sample(nvml: Nvml, number: int, handle: Any, own: Collection[int]) -> GpuSample:
    values: dict[str, Any] = {}
    missing: dict[str, str] = {}
    ask = nvml.ask
    for field, read in {
        "memory": lambda: _memory(nvml, handle),
        "listed": lambda: _listed(nvml, handle, "Compute"),
        "utilisation": lambda: ask("nvmlDeviceGetUtilizationRates", handle).gpu / 100,
        "temperature_celsius": lambda: ask("nvmlDeviceGetTemperature", handle, 0),
        "power_watts": lambda: ask("nvmlDeviceGetPowerUsage", handle) / 1000,
        "throttled": lambda: _throttled(nvml, handle),
        "ecc_uncorrected": lambda: ask("nvmlDeviceGetTotalEccErrors", handle, _UNCORRECTED, _SINCE_LOAD),
    }.items():
        _fill(values, missing, field, read)
    memory, listed = values.pop("memory", {}), values.pop("listed", None)
    others = [one for one in listed or () if one.pid not in own and (one.usedGpuMemory or 0) >= LEAST_HELD_BYTES]
    others.sort(key=lambda one: -one.usedGpuMemory)
    return GpuSample(
        number=number,
        memory_total_bytes=memory.get("total"),
        memory_used_bytes=memory.get("used"),
        ours_bytes=None if listed is None else sum(one.usedGpuMemory or 0 for one in listed if one.pid in own),
        others=tuple(Holder(one.pid, owner_of(one.pid, own)[1], one.usedGpuMemory) for one in others[:MOST_OTHERS]),
        lost=missing.get("memory") is not None and "fallen off" in missing["memory"],
        **values,
    )


def _cuda(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _kernel_version() -> str | None:
    """The version of the loaded kernel driver. https://download.nvidia.com/XFree86/Linux-x86_64/ (README, /proc)"""
    import re

    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8", errors="replace") as file:
            found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", file.read())
    except OSError:
        return None
    return found[1] if found else None
