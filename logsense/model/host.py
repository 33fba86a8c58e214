"""What is known of the host that a job runs on. What could not be read is None; `missing` says why."""

from __future__ import annotations

from types import MappingProxyType

from logsense.model.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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
