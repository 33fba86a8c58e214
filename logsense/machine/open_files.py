"""Which processes write to which files, pipes and disks, as far as this user may see."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from logsense.util.files import text_of

# What is no disk that can be full.
_NO_DISK = ("/dev", "/proc", "/sys", "/run/user")


def writers_of(paths: Collection[str]) -> tuple[int, ...]:
    """The processes, but for this one, that have one of these files open for writing."""
    return _writers({os.path.realpath(path) for path in paths})


def feeders_of(pid: int | str = "self", fd: int = 0) -> tuple[int, ...]:
    """The processes that hold the other end of the pipe that `pid` reads as `fd`; none where that is no pipe."""
    try:
        link = os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        return ()
    return _writers({link}) if link.startswith("pipe:") else ()


def written_by(pid: int) -> Iterator[str]:
    """The files that `pid` has open for writing."""
    return (path for number in _open(pid) if (path := _link(pid, number)).startswith("/") and _writes(pid, number))


def mount_of(path: str, mounts: Collection[str]) -> str:
    """Which of `mounts` the absolute path lies on; "" for what is no disk. Nothing is asked of the disk itself."""
    if any(path == place or path.startswith(f"{place}/") for place in _NO_DISK):
        return ""
    return max((one for one in mounts if path == one or path.startswith(one.rstrip("/") + "/")), key=len, default="")


def mounts() -> list[str]:
    """Where file systems are mounted."""
    lines = text_of("/proc/self/mounts").splitlines()
    return [fields[1].replace("\\040", " ") for line in lines if len(fields := line.split(" ")) > 2]


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
