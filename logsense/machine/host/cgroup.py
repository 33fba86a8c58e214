"""Read the control group of a process, in versions 1 and 2 of the kernel's interface.

https://docs.kernel.org/admin-guide/cgroup-v2.html and https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from logsense.model.machine import Cgroup
from logsense.model.values import to_count
from logsense.util.files import system_root, text_of

# Version 1 states "no limit" as the largest multiple of the page size.
NO_LIMIT_BYTES = 1 << 60
# For each version, the files with the limit and the use of memory, and the count of its cache that can be dropped.
MEMORY_FILES = {
    2: ("memory.max", "memory.current", "inactive_file"),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def read_cgroup(root: str | None = None) -> Cgroup | None:
    """Return the control group of this process; None without control groups. `root` replaces /."""
    groups = _Groups("self", root or system_root())
    for version, (limit_file, used_file, cache_count) in MEMORY_FILES.items():
        folders = groups.folders(version, "memory")
        used = {folder: count for folder in folders if (count := _number(folder, used_file)) is not None}
        if not used:
            continue
        own = next(iter(used))
        limit_bytes, binding = _tightest(used, limit_file)
        binding = binding or own
        return Cgroup(
            limit_bytes=limit_bytes,
            used_bytes=max(used[binding] - _pairs(binding, "memory.stat").get(cache_count, 0), 0),
            oom_kills=oom_kills_in(own),
            pids_limit=_tightest(groups.folders(version, "pids"), "pids.max")[0],
        )
    return None


def group_of(pid: int | str) -> tuple[str, str] | None:
    """Return the memory control group of process `pid`, as the kernel names it, and its folder."""
    groups = _Groups(pid, "/")
    for version, (_, used_file, _) in MEMORY_FILES.items():
        for folder in groups.folders(version, "memory")[:1]:
            if os.path.exists(os.path.join(folder, used_file)):
                return groups.name(version, "memory"), folder
    return None


def members_of(folder: str) -> set[int]:
    """Return the processes in the group with this folder."""
    return {int(pid) for pid in text_of(os.path.join(folder, "cgroup.procs")).split() if pid.isdecimal()}


def oom_kills_in(folder: str) -> int | None:
    """Return how many processes of the group, without its subgroups, were killed for memory.

    Version 2's `memory.events` also counts those of subgroups; version 1 never does.
    """
    for name in ("memory.events.local", "memory.events", "memory.oom_control"):
        count = _pairs(folder, name).get("oom_kill")
        if count is not None:
            return count
    return None


class _Groups:
    """The control groups of a process, by version and controller; version 2 has one for all controllers."""

    def __init__(self, pid: int | str, root: str) -> None:
        self._names: dict[tuple[int, str], str] = {}
        for line in text_of(os.path.join(root, f"proc/{pid}/cgroup")).splitlines():
            _, _, rest = line.partition(":")
            controllers, _, name = rest.partition(":")
            for controller in controllers.split(","):
                self._names[1 if controller else 2, controller] = name
        self._mounts: dict[tuple[int, str], str] = {}
        for line in text_of(os.path.join(root, "proc/self/mountinfo")).splitlines() if self._names else ():
            before, _, after = line.partition(" - ")
            fields, kinds = before.split(" "), after.split(" ")
            if len(fields) < 5 or len(kinds) < 3 or kinds[0] not in ("cgroup", "cgroup2"):
                continue
            for key in [(2, "")] if kinds[0] == "cgroup2" else [(1, option) for option in kinds[2].split(",")]:
                self._mounts.setdefault(key, os.path.join(root, fields[4].lstrip("/")))

    def name(self, version: int, controller: str) -> str:
        """Return the group for `controller`, as the kernel names it; "" if there is none."""
        return self._names.get((version, controller if version == 1 else ""), "")

    def folders(self, version: int, controller: str) -> list[str]:
        """Return the folders of the group for `controller` and of those above it; [] if there is none.

        In a container, the name may be the host's: then only the top is there.
        """
        name = self.name(version, controller)
        top = self._mounts.get((version, controller if version == 1 else ""))
        if not name or not top:
            return []
        top = os.path.normpath(top)
        folder = os.path.normpath(os.path.join(top, name.lstrip("/")))
        if not folder.startswith(top) or not os.path.isdir(folder):
            return [top]
        found = [folder]
        while found[-1] != top:
            found.append(os.path.dirname(found[-1]))
        return found


def _tightest(folders: Iterable[str], limit_file: str) -> tuple[int | None, str]:
    """Return the lowest limit in `folders` and the folder that sets it; None and "" if none sets one."""
    limits = [(limit, folder) for folder in folders if (limit := _number(folder, limit_file)) is not None]
    lowest = min(limits, key=lambda one: one[0], default=(NO_LIMIT_BYTES, ""))
    return lowest if lowest[0] < NO_LIMIT_BYTES else (None, "")


def _number(folder: str, name: str) -> int | None:
    return to_count(text_of(os.path.join(folder, name)))


def _pairs(folder: str, name: str) -> dict[str, int]:
    pairs = (line.split() for line in text_of(os.path.join(folder, name)).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}
