"""What a machine shows of itself: its driver and GPUs, host, environment and processes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.util.noun import NamedTuple

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


class Cgroup(NamedTuple):
    """The control group whose memory limit binds the job first, and what the groups above it add.

    `used_bytes` leaves out file cache that the kernel can drop at once. `oom_kills` counts processes that the kernel
    killed for memory in the job's own group. `cpus` is the share of processors that it may use.
    """

    version: int
    path: str
    limit_bytes: int | None = None
    used_bytes: int | None = None
    oom_kills: int | None = None
    pids_limit: int | None = None
    pids_used: int | None = None
    cpus: float | None = None


class Disk(NamedTuple):
    """A folder that a job writes to (`role`), and the file system it lies on."""

    role: str
    path: str
    total_bytes: int | None = None
    free_bytes: int | None = None
    inodes_total: int | None = None
    inodes_free: int | None = None
    kind: str | None = None
    read_only: bool | None = None
    missing: Mapping[str, str] = MappingProxyType({})


class Limit(NamedTuple):
    """A limit of this process (`ulimit`); None is no limit."""

    soft: int | None
    hard: int | None


class Host(NamedTuple):
    """The host: memory in bytes, limits, disks, what kind of place it is."""

    name: str = ""
    system: str = ""
    boot: str = ""
    cpus: int | None = None
    ram_total_bytes: int | None = None
    ram_available_bytes: int | None = None
    swap_total_bytes: int | None = None
    swap_used_bytes: int | None = None
    cgroup: Cgroup | None = None
    shm: Disk | None = None
    disks: tuple[Disk, ...] = ()
    limits: Mapping[str, Limit] = MappingProxyType({})
    settings: Mapping[str, int] = MappingProxyType({})
    memory_pressure: float | None = None
    io_pressure: float | None = None
    container: str | None = None
    wsl: bool = False
    scheduler: Mapping[str, str] = MappingProxyType({})
    missing: Mapping[str, str] = MappingProxyType({})


class Interpreter(NamedTuple):
    """The Python that the job uses. `kind` is venv, conda, system or Colab; `path` is what it looks modules up in."""

    executable: str
    version: str = ""
    prefix: str = ""
    kind: str = "system"
    path: tuple[str, ...] = ()


class Package(NamedTuple):
    """An installed distribution; `hidden` are further copies that come later on the path."""

    name: str
    version: str
    folder: str
    hidden: tuple[str, ...] = ()


class Build(NamedTuple):
    """What a framework was built for. `cpu_only` says that it has no GPU code at all."""

    name: str
    version: str
    cuda: str | None = None
    cudnn: str | None = None
    cpu_only: bool = False


class Library(NamedTuple):
    """A copy of a shared library. `family` is its name without version; `origin` says what puts it on the loader's way.

    Copies of one family stand in the order in which the loader meets them.
    """

    family: str
    path: str
    version: str | None = None
    origin: str = ""


class Environment(NamedTuple):
    """All of it. `variables` are those that matter to GPU jobs and are set; `mixed` says what does not fit together."""

    interpreter: Interpreter | None = None
    packages: Mapping[str, Package] = MappingProxyType({})
    builds: tuple[Build, ...] = ()
    libraries: tuple[Library, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    tools: Mapping[str, str] = MappingProxyType({})
    mixed: tuple[str, ...] = ()
    colab: bool = False
    missing: Mapping[str, str] = MappingProxyType({})


class ProcessState(NamedTuple):
    """What a process does: `state` is the kernel's word for it, `waits_in` the place in the kernel where it sleeps.

    `cpu_share` is the share of one processor that it used over the time of the look. `stack` holds the innermost
    frames first: those of its Python code where a tool could read them, else of the kernel.
    """

    pid: int
    name: str
    command: str = ""
    state: str = ""
    waits_in: str = ""
    cpu_share: float | None = None
    threads: int | None = None
    rss_bytes: int | None = None
    stack: tuple[str, ...] = ()
