"""The state of a machine: driver and GPUs, host, environment and processes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.util.noun import NamedTuple


class Driver(NamedTuple):
    """The NVIDIA driver. `cuda` is the highest CUDA version that it supports; `problem` says why it can't be used."""

    version: str | None = None
    cuda: str | None = None
    kernel: str | None = None
    problem: str = ""


class GpuProcess(NamedTuple):
    """A process on a GPU. `pid` is the driver's number for it, which may differ in a container.

    `owner` is ours (this job), other, gone (it has exited but still holds memory), or hidden (by another container).
    """

    pid: int
    memory_used_bytes: int | None = None
    name: str | None = None
    owner: str = "other"


class Gpu(NamedTuple):
    """A GPU, or with `parent` a MIG slice of one. Shares are from 0 to 1; counters begin when the driver is loaded.

    `reserved` memory belongs to the driver. `throttled` names the reasons for a reduced clock, except idling and limits
    set by a user. `nvlinks` says of each link whether it is active. `recovery` is what the driver requests: none,
    reset, reboot, drain.
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
    throttled: tuple[str, ...] | None = None
    temperature_celsius: int | None = None
    power_watts: float | None = None
    ecc_uncorrected: int | None = None
    retired_pending: bool | None = None
    remapped_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    nvlinks: tuple[bool, ...] | None = None
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    compute_mode: str | None = None
    mig: bool | None = None
    fabric: str | None = None
    recovery: str | None = None


class Cgroup(NamedTuple):
    """The control group with the tightest memory limit for the job, and what the groups above it add.

    `used_bytes` excludes file cache that the kernel can drop at once. `oom_kills` counts processes of the job's own
    group that the kernel killed for memory.
    """

    limit_bytes: int | None = None
    used_bytes: int | None = None
    oom_kills: int | None = None
    pids_limit: int | None = None


class Disk(NamedTuple):
    """A folder that a job writes to (`role`), and its file system."""

    role: str
    path: str
    total_bytes: int | None = None
    free_bytes: int | None = None
    read_only: bool | None = None


class Host(NamedTuple):
    """The host: memory in bytes, limits of this process (`ulimit`; None is unlimited), disks, kind of container."""

    cpus: int | None = None
    ram_total_bytes: int | None = None
    ram_available_bytes: int | None = None
    cgroup: Cgroup | None = None
    shm: Disk | None = None
    disks: tuple[Disk, ...] = ()
    limits: Mapping[str, int | None] = MappingProxyType({})
    max_map_count: int | None = None
    container: str | None = None
    wsl: bool = False


class Interpreter(NamedTuple):
    """The job's Python. `kind` is venv, conda, system or Colab; `path` is its module search path."""

    executable: str
    version: str = ""
    prefix: str = ""
    kind: str = "system"
    path: tuple[str, ...] = ()


class Package(NamedTuple):
    """An installed distribution; `hidden` are further copies, later on the path."""

    name: str
    version: str
    folder: str
    hidden: tuple[str, ...] = ()


class Build(NamedTuple):
    """What a framework was built for. `cpu_only` says that it has no GPU code."""

    name: str
    version: str
    cuda: str | None = None
    cudnn: str | None = None
    cpu_only: bool = False


class Library(NamedTuple):
    """A copy of a shared library. `family` is its name without version; `origin` says why the loader finds it.

    Copies of a family are in the loader's search order.
    """

    family: str
    path: str
    version: str | None = None
    origin: str = ""


class Environment(NamedTuple):
    """The software of a job. `variables` are the set variables that affect GPU jobs; `mixed` says what is
    incompatible, `problem` why there is no interpreter."""

    interpreter: Interpreter | None = None
    packages: Mapping[str, Package] = MappingProxyType({})
    builds: tuple[Build, ...] = ()
    libraries: tuple[Library, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    tools: Mapping[str, str] = MappingProxyType({})
    mixed: tuple[str, ...] = ()
    colab: bool = False
    problem: str = ""


class ProcessState(NamedTuple):
    """What a process does: `state` as the kernel names it, `waits_in` the kernel function that it sleeps in.

    `cpu_share` is its share of one processor during the observation. `stack` holds the innermost frames first: of its
    Python code if a tool could read them, else of the kernel.
    """

    pid: int
    name: str
    state: str = ""
    waits_in: str = ""
    cpu_share: float | None = None
    stack: tuple[str, ...] = ()
