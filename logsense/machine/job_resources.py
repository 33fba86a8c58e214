"""Track what on the machine belongs to a job: processes, control groups, GPUs, and the disks that it writes to."""

from __future__ import annotations

import os
from collections.abc import Collection

from logsense.machine.host.cgroup import group_of, members_of, oom_kills_in
from logsense.machine.open_files import is_on_disk, mount_of, mounts, written_by
from logsense.model.live import Own
from logsense.model.run import GpuSample
from logsense.util.files import target_of

# The root PID namespace, whose numbers the kernel's log uses. include/linux/proc_ns.h: PROC_PID_INIT_INO
_ROOT_NAMESPACE = "pid:[4026531836]"
MOST_PIDS = 20_000  # the latest processes of a job that keeps starting programs
MOST_MOUNTS = 8  # below a working folder that is the job's own, unlike /
MOST_WITH_FILES = 64  # processes whose open files are listed


class JobResources:
    """What is known to belong to the job so far; call `update` repeatedly while it runs."""

    def __init__(self) -> None:
        self._pids: dict[int, None] = {}
        self._gpus: set[str] = set()
        self._groups: dict[str, str] = {}
        self._shared_groups: set[str] = set()
        self._kills_before: dict[str, int] = {}
        self._folders: dict[str, str] = {}

    def update(self, pids: Collection[int], gpus: Collection[GpuSample] = ()) -> None:
        """Record the job's processes `pids`, with their current groups and files, and the GPUs that it uses."""
        for pid in pids:
            self._pids.pop(pid, None)
            self._pids[pid] = None
        for pid in list(self._pids)[: max(len(self._pids) - MOST_PIDS, 0)]:
            del self._pids[pid]
        self._gpus |= {gpu.pci for gpu in gpus if gpu.pci and gpu.ours_bytes}
        self._update_groups(pids)
        self._update_folders(pids)

    @property
    def own(self) -> Own:
        """What belongs to the job; processes only in the root PID namespace, as the kernel numbers them."""
        pids = frozenset(self._pids) if is_in_root_pid_namespace() else frozenset[int]()
        return Own(pids, frozenset(self._groups.keys() - self._shared_groups), frozenset(self._gpus))

    @property
    def is_alone(self) -> bool:
        """Whether the job's control groups hold no other processes."""
        return bool(self._groups) and not self._shared_groups

    def oom_kills(self) -> int | None:
        """Return how many processes were killed for memory in the job's groups; None if unknown."""
        counts = [
            count - self._kills_before[group]
            for group, folder in self._groups.items()
            if (count := oom_kills_in(folder)) is not None
        ]
        return sum(counts) if counts else None

    def folders(self) -> tuple[str, ...]:
        """Return a folder on each disk that the job was seen to write to."""
        return tuple(self._folders.values())

    def _update_groups(self, pids: Collection[int]) -> None:
        here = group_of("self")
        known = self._pids.keys() | _ancestors()
        for group, folder in {found for pid in pids if (found := group_of(pid))}:
            if group not in self._groups:
                self._groups[group] = folder
                # In this process's own group every kill counts, since the first may precede this update.
                self._kills_before[group] = 0 if here == (group, folder) else oom_kills_in(folder) or 0
            if group == "/" or not known >= members_of(folder):
                self._shared_groups.add(group)

    def _update_folders(self, pids: Collection[int]) -> None:
        places = mounts()
        for pid in list(pids)[:MOST_WITH_FILES]:
            files = (path for path in written_by(pid) if path.startswith("/"))
            here = target_of(f"/proc/{pid}/cwd")
            below = [place for place in places if here and place.startswith(here.rstrip("/") + "/")]
            for folder in (*map(os.path.dirname, files), here, *(below if len(below) <= MOST_MOUNTS else ())):
                if folder and is_on_disk(folder) and (mount := mount_of(folder, places)):
                    self._folders[mount] = folder


def is_in_root_pid_namespace() -> bool:
    """Return whether processes have the same numbers here as in the kernel's log, unlike in most containers."""
    return target_of("/proc/self/ns/pid") == _ROOT_NAMESPACE


def _ancestors() -> set[int]:
    """Return this process and its ancestors: a job is mostly in the control group of the shell that started it."""
    import psutil

    try:
        here = psutil.Process()
        return {here.pid, *(one.pid for one in here.parents())}
    except psutil.Error:
        return {os.getpid()}
