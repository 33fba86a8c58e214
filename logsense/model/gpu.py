"""What the driver tells of itself and of its GPUs. What could not be read is None; `missing` says why."""

from __future__ import annotations

from types import MappingProxyType

from logsense.model.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Whose a process on a GPU is: the job's, another one's that can be seen here, one that is gone but still holds memory,
# or one that another container hides.
OWNERS = ("ours", "other", "gone", "hidden")


class Driver(NamedTuple):
    """The NVIDIA driver. `cuda` is the highest CUDA version that it supports; `problem` says why it can't be used."""

    version: str | None = None
    cuda: str | None = None
    nvml: str | None = None
    kernel: str | None = None
    problem: str = ""
    missing: Mapping[str, str] = MappingProxyType({})


class GpuProcess(NamedTuple):
    """A process on a GPU. `pid` is the driver's number for it, which inside of a container may be another one's."""

    pid: int
    memory_used_bytes: int | None = None
    name: str | None = None
    user: str | None = None
    owner: str = "other"
    kind: str = "compute"


class NvLink(NamedTuple):
    """One NVLink: whether it is up, and the errors that it counted."""

    link: int
    active: bool
    errors: Mapping[str, int] = MappingProxyType({})


class Gpu(NamedTuple):
    """A GPU, or with `parent` a MIG slice of one. Clocks in Hz, shares of 0 to 1, counts since the driver was loaded.

    `reserved` memory belongs to the driver. `throttled` names why clocks are held down, an idle GPU and limits set by
    a user aside. `recovery` is what the driver asks for: none, reset, reboot, drain.
    """

    number: int
    name: str | None = None
    uuid: str | None = None
    pci: str | None = None
    serial: str | None = None
    parent: str | None = None
    capability: str | None = None
    lost: bool = False
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    memory_reserved_bytes: int | None = None
    processes: tuple[GpuProcess, ...] | None = None
    utilisation: float | None = None
    memory_utilisation: float | None = None
    sm_clock_hz: int | None = None
    sm_clock_max_hz: int | None = None
    throttled: tuple[str, ...] | None = None
    temperature_celsius: int | None = None
    slowdown_celsius: int | None = None
    shutdown_celsius: int | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    ecc: bool | None = None
    ecc_corrected: int | None = None
    ecc_uncorrected: int | None = None
    ecc_uncorrected_ever: int | None = None
    retired_pages: int | None = None
    retired_pending: bool | None = None
    remapped_corrected: int | None = None
    remapped_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    nvlinks: tuple[NvLink, ...] | None = None
    pcie_generation: int | None = None
    pcie_generation_max: int | None = None
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_replays: int | None = None
    compute_mode: str | None = None
    persistence: bool | None = None
    mig: bool | None = None
    fabric: str | None = None
    recovery: str | None = None
    missing: Mapping[str, str] = MappingProxyType({})
