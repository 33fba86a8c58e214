"""Learns what on the machine is a job's: processes, control groups, GPUs, and the disks that it writes to."""

from __future__ import annotations

import os
from collections.abc import Collection

from logsense.machine.host.cgroup import group_of, members_of, oom_kills_in
from logsense.machine.open_files import mount_of, mounts, written_by
from logsense.model.live import Own
from logsense.model.run import GpuSample

# Where processes are numbered as in the kernel's log. include/linux/proc_ns.h: PROC_PID_INIT_INO
_KERNELS_NUMBERS = "pid:[4026531836]"
MOST_PIDS = 20_000  # of a job that starts programs all the time, the latest
MOST_LOOKED_INTO = 64  # processes whose files are looked at


class Belongings:
    """What is known to be the job's so far; `look` now and then while it runs."""

    def __init__(self) -> None:
        self._pids: dict[int, None] = {}
        self._gpus: set[str] = set()
        self._groups: dict[str, str] = {}
        self._others_in: set[str] = set()  # groups that the job has not to itself
        self._kills_before: dict[str, int] = {}
        self._folders: dict[str, str] = {}

    def look(self, pids: Collection[int], gpus: Collection[GpuSample] = ()) -> None:
        """Takes in that `pids` are the job's, with what these have now."""
        for pid in pids:
            self._pids.pop(pid, None)
            self._pids[pid] = None
        for pid in list(self._pids)[: max(len(self._pids) - MOST_PIDS, 0)]:
            del self._pids[pid]
        self._gpus |= {gpu.pci for gpu in gpus if gpu.pci and gpu.ours_bytes}
        self._look_at_groups(pids)
        self._look_at_files(pids)

    @property
    def own(self) -> Own:
        """What is the job's; processes only where they have the kernel's numbers."""
        pids = frozenset(self._pids) if has_kernels_numbers() else frozenset[int]()
        return Own(pids, frozenset(self._groups.keys() - self._others_in), frozenset(self._gpus))

    @property
    def is_alone(self) -> bool:
        """Whether nobody else is in the job's groups."""
        return bool(self._groups) and not self._others_in

    def kills(self) -> int | None:
        """How many processes were killed for memory in the job's groups."""
        counts = [
            count - self._kills_before[group]
            for group, folder in self._groups.items()
            if (count := oom_kills_in(folder)) is not None
        ]
        return sum(counts) if counts else None

    def folders(self) -> tuple[str, ...]:
        """The folders that the job was seen to write to, one for each disk."""
        return tuple(self._folders.values())

    def _look_at_groups(self, pids: Collection[int]) -> None:
        here = group_of("self")
        known = self._pids.keys() | _forebears()
        for group, folder in {found for pid in pids if (found := group_of(pid))}:
            if group not in self._groups:
                self._groups[group] = folder
                # In the group that this process is in too, all counts: who looks early may know the first of it.
                self._kills_before[group] = 0 if here == (group, folder) else oom_kills_in(folder) or 0
            if group == "/" or not known >= members_of(folder):
                self._others_in.add(group)

    def _look_at_files(self, pids: Collection[int]) -> None:
        places = mounts()
        for pid in list(pids)[:MOST_LOOKED_INTO]:
            folders = [os.path.dirname(path) for path in written_by(pid)]
            try:
                folders.append(os.readlink(f"/proc/{pid}/cwd"))
            except OSError:
                pass
            for folder in folders:
                mount = mount_of(folder, places)
                if mount:
                    self._folders[mount] = folder


def has_kernels_numbers() -> bool:
    """Whether processes have the numbers here by which the kernel calls them; in most containers they do not."""
    try:
        return os.readlink("/proc/self/ns/pid") == _KERNELS_NUMBERS
    except OSError:
        return False


def _forebears() -> set[int]:
    """This process and those that it came from: a job is mostly in the group of the shell that it was started in."""
    import psutil

    try:
        here = psutil.Process()
        return {here.pid, *(one.pid for one in here.parents())}
    except psutil.Error:
        return {os.getpid()}
