"""Finds which processes write to which files, pipes and disks, as far as this user may see."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from logsense.util.files import text_of

# File systems without a disk that can fill up.
_WITHOUT_DISK = ("/dev", "/proc", "/sys", "/run/user")


def writers_of(paths: Collection[str]) -> tuple[int, ...]:
    """Return the other processes that have one of these files open for writing."""
    return _writers({os.path.realpath(path) for path in paths})


def pipe_writers_of(pid: int | str = "self", fd: int = 0) -> tuple[int, ...]:
    """Return the processes at the other end of the pipe that `pid` reads as `fd`; none if it is not a pipe."""
    try:
        link = os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        return ()
    return _writers({link}) if link.startswith("pipe:") else ()


def written_by(pid: int) -> Iterator[str]:
    """Yield the files that `pid` has open for writing."""
    return (path for number in _open(pid) if (path := _link(pid, number)).startswith("/") and _writes(pid, number))


def is_on_disk(path: str) -> bool:
    """Return whether the absolute path is on a disk that can fill up."""
    return not any(path == place or path.startswith(f"{place}/") for place in _WITHOUT_DISK)


def mount_of(path: str, mounts: Collection[str]) -> str:
    """Return which of `mounts` the absolute path is on, without accessing the disk; "" if none."""
    return max((one for one in mounts if path == one or path.startswith(one.rstrip("/") + "/")), key=len, default="")


def mounts() -> dict[str, str]:
    """Return the type of each mounted file system, by its mount point."""
    lines = text_of("/proc/self/mounts").splitlines()
    return {fields[1].replace("\\040", " "): fields[2] for line in lines if len(fields := line.split(" ")) > 2}


def _writers(links: set[str]) -> tuple[int, ...]:
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return ()
    return tuple(
        pid
        for pid in pids
        if pid != os.getpid() and any(_link(pid, number) in links and _writes(pid, number) for number in _open(pid))
    )


def _open(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return []


def _link(pid: int, number: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/fd/{number}")
    except OSError:
        return ""


def _writes(pid: int, number: str) -> bool:
    flags = next(
        (line.split()[1] for line in text_of(f"/proc/{pid}/fdinfo/{number}").splitlines() if line.startswith("flags:")),
        "0",
    )
    return bool(int(flags, 8) & (os.O_WRONLY | os.O_RDWR))
