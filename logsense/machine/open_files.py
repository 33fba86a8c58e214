"""Find which processes write to which files, pipes and disks, as far as this user may see."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from logsense.util.files import listed, target_of, text_of

# File systems without a disk that can fill up.
_WITHOUT_DISK = ("/dev", "/proc", "/sys", "/run/user")


def writers_of(paths: Collection[str]) -> tuple[int, ...]:
    """Return the other processes that have one of these files open for writing."""
    return _writers({os.path.realpath(path) for path in paths})


def pipe_writers_of(pid: int) -> tuple[int, ...]:
    """Return the processes at the other end of the pipe that is the standard input of `pid`; none without a pipe."""
    link = target_of(f"/proc/{pid}/fd/0")
    return _writers({link}) if link.startswith("pipe:") else ()


def written_by(pid: int | str) -> Iterator[str]:
    """Yield the files and pipes that `pid` has open for writing."""
    for number in listed(f"/proc/{pid}/fd"):
        about = text_of(f"/proc/{pid}/fdinfo/{number}").splitlines()
        flags = next((line.split()[1] for line in about if line.startswith("flags:")), "0")
        if int(flags, 8) & (os.O_WRONLY | os.O_RDWR):
            yield target_of(f"/proc/{pid}/fd/{number}")


def is_on_disk(path: str) -> bool:
    """Return whether the absolute path is on a disk that can fill up."""
    return not any(path == place or path.startswith(f"{place}/") for place in _WITHOUT_DISK)


def mount_of(path: str, mounts: Collection[str]) -> str:
    """Return which of `mounts` the absolute path is on, without accessing the disk; "" if none."""
    return max((one for one in mounts if path == one or path.startswith(one.rstrip("/") + "/")), key=len, default="")


def mounts() -> list[str]:
    """Return the mount points of all file systems."""
    lines = text_of("/proc/self/mounts").splitlines()
    return [fields[1].replace("\\040", " ") for line in lines if len(fields := line.split(" ")) > 1]


def _writers(files: set[str]) -> tuple[int, ...]:
    pids = (int(name) for name in listed("/proc") if name.isdecimal())
    return tuple(pid for pid in pids if pid != os.getpid() and not files.isdisjoint(written_by(pid)))
