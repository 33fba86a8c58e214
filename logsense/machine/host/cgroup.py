"""Read the control group of a process, in versions 1 and 2 of the kernel's interface.

https://docs.kernel.org/admin-guide/cgroup-v2.html and https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from logsense.model.machine import Cgroup
from logsense.model.values import to_count
from logsense.util.files import system_root, text_of

# Version 1 states "no limit" as the largest multiple of the page size.
NO_LIMIT_BYTES = 1 << 60


def read_cgroup(pid: int | str = "self", root: str | None = None) -> Cgroup | None:
    """Return the control group of process `pid`; None without control groups. `root` replaces /."""
    root = root or system_root()
    groups = _groups(os.path.join(root, f"proc/{pid}/cgroup"))
    mounts = _mounts(os.path.join(root, "proc/self/mountinfo"), root)
    for version, name in ((2, ""), (1, "memory")):
        if name in groups and (version, name) in mounts:
            found = _read(version, mounts, groups)
            if found and (version == 2 or found.limit_bytes or found.used_bytes is not None):
                return found
    return None


def group_of(pid: int | str, root: str = "/") -> tuple[str, str] | None:
    """Return the memory control group of process `pid`, as the kernel names it, and its folder."""
    groups = _groups(os.path.join(root, f"proc/{pid}/cgroup"))
    mounts = _mounts(os.path.join(root, "proc/self/mountinfo"), root) if groups else {}
    for version, name, used_file in ((2, "", "memory.current"), (1, "memory", "memory.usage_in_bytes")):
        if name in groups and (version, name) in mounts:
            folder = next(iter(_upwards(mounts[version, name], groups[name])))
            if os.path.exists(os.path.join(folder, used_file)):
                return groups[name], folder
    return None


def members_of(folder: str) -> set[int]:
    """Return the processes in the group with this folder."""
    return {int(pid) for pid in text_of(os.path.join(folder, "cgroup.procs")).split() if pid.isdecimal()}


def oom_kills_in(folder: str) -> int | None:
    """Return how many processes of the group, without its subgroups, were killed for memory.

    Version 2's `memory.events` also counts those of subgroups; version 1 never does.
    """
    for name in ("memory.events.local", "memory.events", "memory.oom_control"):
        count = _pairs(os.path.join(folder, name)).get("oom_kill")
        if count is not None:
            return count
    return None


def _read(version: int, mounts: dict[tuple[int, str], str], groups: dict[str, str]) -> Cgroup | None:
    name = "" if version == 2 else "memory"
    top = mounts[version, name]
    limit_file, used_file = (
        ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    )
    tightest: tuple[int, str] | None = None
    own = ""
    for folder in _upwards(top, groups[name]):
        if _number(os.path.join(folder, used_file)) is None:
            continue
        own = own or folder
        limit = _number(os.path.join(folder, limit_file))
        if limit is not None and limit < NO_LIMIT_BYTES and (tightest is None or limit < tightest[0]):
            tightest = (limit, folder)
    if not own:
        return None
    binding = tightest[1] if tightest else own
    stat = _pairs(os.path.join(binding, "memory.stat"))
    used = _number(os.path.join(binding, used_file))
    cache = stat.get("inactive_file" if version == 2 else "total_inactive_file", 0)
    pids = _pids(version, mounts, groups)
    return Cgroup(
        version=version,
        path=binding,
        limit_bytes=tightest[0] if tightest else None,
        used_bytes=None if used is None else max(used - cache, 0),
        oom_kills=oom_kills_in(own),
        pids_limit=pids[0],
        pids_used=pids[1],
        cpus=_cpus(version, mounts, groups),
    )


def _pids(version: int, mounts: dict[tuple[int, str], str], groups: dict[str, str]) -> tuple[int | None, int | None]:
    name = "" if version == 2 else "pids"
    if (version, name) not in mounts or name not in groups:
        return None, None
    best: tuple[int | None, int | None] = (None, None)
    for folder in _upwards(mounts[version, name], groups[name]):
        limit = _number(os.path.join(folder, "pids.max"))
        if limit is not None and (best[0] is None or limit < best[0]):
            best = (limit, _number(os.path.join(folder, "pids.current")))
    return best


def _cpus(version: int, mounts: dict[tuple[int, str], str], groups: dict[str, str]) -> float | None:
    name = "" if version == 2 else "cpu"
    if (version, name) not in mounts or name not in groups:
        return None
    shares = []
    for folder in _upwards(mounts[version, name], groups[name]):
        if version == 2:
            quota, _, period = text_of(os.path.join(folder, "cpu.max")).partition(" ")
        else:
            quota = text_of(os.path.join(folder, "cpu.cfs_quota_us"))
            period = text_of(os.path.join(folder, "cpu.cfs_period_us"))
        if quota.isdecimal() and period.isdecimal() and int(period):
            shares.append(int(quota) / int(period))
    return min(shares, default=None)


def _groups(path: str) -> dict[str, str]:
    """Return the path of the group in each hierarchy, by controller; "" is that of version 2."""
    found: dict[str, str] = {}
    for line in text_of(path).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        for controller in controllers.split(","):
            found[controller] = group
    return found


def _mounts(path: str, root: str) -> dict[tuple[int, str], str]:
    found: dict[tuple[int, str], str] = {}
    for line in text_of(path).splitlines():
        before, _, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if len(fields) < 5 or len(kinds) < 3:
            continue
        place = os.path.join(root, fields[4].lstrip("/"))
        if kinds[0] == "cgroup2":
            found.setdefault((2, ""), place)
        elif kinds[0] == "cgroup":
            for option in kinds[2].split(","):
                found.setdefault((1, option), place)
    return found


def _upwards(top: str, group: str) -> Iterator[str]:
    """Yield the group's folder and those above it; in a container, the path may be the host's: then only the top."""
    folder = os.path.normpath(os.path.join(top, group.lstrip("/")))
    top = os.path.normpath(top)
    if not folder.startswith(top) or not os.path.isdir(folder):
        folder = top
    while True:
        yield folder
        if folder == top:
            return
        folder = os.path.dirname(folder)


def _number(path: str) -> int | None:
    return to_count(text_of(path))


def _pairs(path: str) -> dict[str, int]:
    pairs = (line.split() for line in text_of(path).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}
