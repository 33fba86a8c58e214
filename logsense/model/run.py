"""A recorded run, and the samples taken while it ran."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.model.live import Ended, Own
from logsense.util.noun import NamedTuple


class Holder(NamedTuple):
    """A process outside the job that holds GPU memory."""

    pid: int
    name: str | None
    memory_used_bytes: int


class GpuSample(NamedTuple):
    """The state of a GPU, by its NVML number, at one moment; None for what could not be read.

    `utilisation` is the share (0 to 1) of the time since the last sample in which a kernel ran. `ours_bytes` is held by
    the job's processes, `others` are the largest other holders. `throttled` names the reasons for a reduced clock,
    except idling. `ecc_uncorrected` counts since the driver was loaded. `pci` is the address on the bus.
    """

    number: int
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    ours_bytes: int | None = None
    others: tuple[Holder, ...] = ()
    utilisation: float | None = None
    temperature_celsius: int | None = None
    throttled: tuple[str, ...] = ()
    ecc_uncorrected: int | None = None
    lost: bool = False
    pci: str | None = None


class HostSample(NamedTuple):
    """The state of the host, and of the job's cgroup, at one moment. `memory_pressure` is a share from 0 to 1 of ten
    seconds.

    `cgroup_oom_kills` counts in the job's own groups only; `cgroup_alone` says whether they hold no other processes.
    `disk_free_bytes` is free on the fullest disk that the job writes to, in `disk_folder`.
    """

    ram_total_bytes: int | None = None
    ram_available_bytes: int | None = None
    cgroup_limit_bytes: int | None = None
    cgroup_used_bytes: int | None = None
    cgroup_oom_kills: int | None = None
    shm_total_bytes: int | None = None
    shm_free_bytes: int | None = None
    disk_free_bytes: int | None = None
    memory_pressure: float | None = None
    cgroup_alone: bool | None = None
    disk_folder: str | None = None


class JobSample(NamedTuple):
    """The job's processes together. `cpu_s` is the processor time used so far; `states` counts processes by the letter
    of their state (R running, S sleeping, D waiting for a device, Z zombie). The shares (0 to 1) are the
    largest that a process uses of its limit; None without a limit."""

    processes: int = 0
    rss_bytes: int | None = None
    largest_rss_bytes: int | None = None
    cpu_s: float | None = None
    states: tuple[tuple[str, int], ...] = ()
    open_files_share: float | None = None
    address_space_share: float | None = None


class Sample(NamedTuple):
    """Everything at one moment: `at_s` on the wall clock (Unix time), `after_s` since the job began (monotonic)."""

    at_s: float
    after_s: float
    gpus: tuple[GpuSample, ...] = ()
    host: HostSample = HostSample()
    job: JobSample = JobSample()


class Rank(NamedTuple):
    """A run's rank among the `ranks` processes of a launcher's `job`."""

    job: str
    number: int
    ranks: int


class RecordedRun(NamedTuple):
    """The contents of a run folder. Times are Unix times; `after_s` is how long it ran.

    `ended` is None if nobody saw the end: it still runs (`running`), or the recorder was killed with it (`rebooted`: by
    a restart of the machine), or only the end of its output was seen (`closed`), as in a pipe. `output` are the files
    that hold its output, in order, each with its first byte and line. `stated` are facts that held for the whole run.
    `own` is what belonged to the job on the machine. `rank` is known if a launcher started several processes.
    """

    name: str
    path: str
    command: tuple[str, ...]
    folder: str
    host: str
    at_s: float
    after_s: float | None = None
    ended: Ended | None = None
    running: bool = False
    rebooted: bool = False
    closed: bool = False
    samples: tuple[Sample, ...] = ()
    output: tuple[tuple[str, int, int], ...] = ()
    stated: Mapping[str, object] = MappingProxyType({})
    kernel_log: bytes = b""
    own: Own = Own()
    size_bytes: int = 0
    rank: Rank | None = None
