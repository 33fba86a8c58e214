"""Read the host: memory, limits, disks, pressure, container, and the names of the machine and its user."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import threading
from collections.abc import Mapping, Sequence

from logsense.machine.host.cgroup import read_cgroup
from logsense.model.machine import Disk, Host
from logsense.model.run import HostSample
from logsense.model.values import to_count
from logsense.util.files import system_root, text_of, working_folder

LIMIT_S = 5.0
# Folders that jobs write to: (purpose, variable that moves it, default).
# https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
# https://docs.pytorch.org/docs/stable/hub.html#where-are-my-downloaded-models-saved
FOLDERS = (
    ("temporary files", "TMPDIR", "/tmp"),  # noqa: S108 - only read
    ("home", "HOME", "~"),
    ("Hugging Face cache", "HF_HOME", "~/.cache/huggingface"),
    ("Torch cache", "TORCH_HOME", "~/.cache/torch"),
    ("Triton cache", "TRITON_CACHE_DIR", "~/.triton/cache"),
)
LIMITS = {"memlock": "RLIMIT_MEMLOCK", "nofile": "RLIMIT_NOFILE", "nproc": "RLIMIT_NPROC"}


def read_host(root: str | None = None, environ: Mapping[str, str] | None = None, limit_s: float = LIMIT_S) -> Host:
    """Return the state of this host. Never raises; a file system that hangs costs at most `limit_s` seconds."""
    import psutil

    environ = os.environ if environ is None else environ
    root = root or system_root()
    memory = psutil.virtual_memory()
    shm, *disks = _disks([("shared memory", "/dev/shm"), *_folders(environ)], limit_s)  # noqa: S108
    return Host(
        cpus=os.cpu_count(),
        ram_total_bytes=memory.total,
        ram_available_bytes=memory.available,
        cgroup=read_cgroup(root=root),
        shm=None if shm.free_bytes is None else shm,
        disks=tuple(disks),
        limits=_limits(),
        max_map_count=to_count(text_of(os.path.join(root, "proc/sys/vm/max_map_count"))),
        container=_container(root, environ),
        wsl="microsoft" in text_of(os.path.join(root, "proc/sys/kernel/osrelease")).lower(),
    )


def sample_host(folders: Sequence[str] = (".",)) -> HostSample:
    """Return the numbers of this host that change; `folders` are where the job writes."""
    import psutil

    memory = psutil.virtual_memory()
    cgroup = read_cgroup()
    shm, *disks = _disks([("", "/dev/shm"), *(("", folder) for folder in folders)], 0.5)  # noqa: S108
    disk = fullest_of(disks)
    return HostSample(
        ram_total_bytes=memory.total,
        ram_available_bytes=memory.available,
        cgroup_limit_bytes=cgroup.limit_bytes if cgroup else None,
        cgroup_used_bytes=cgroup.used_bytes if cgroup else None,
        cgroup_oom_kills=cgroup.oom_kills if cgroup else None,
        shm_total_bytes=shm.total_bytes,
        shm_free_bytes=shm.free_bytes,
        disk_free_bytes=disk.free_bytes if disk else None,
        disk_folder=disk.path if disk else None,
        memory_pressure=_pressure(os.path.join(system_root(), "proc/pressure/memory")),
    )


def host_facts(host: Host) -> dict[str, object]:
    """Return the facts that `host` states, under the names that rules use."""
    facts: dict[str, object] = {"host.total": host.ram_total_bytes, "host.available": host.ram_available_bytes}
    if host.cgroup:
        facts["host.cgroup_limit"] = host.cgroup.limit_bytes
        facts["host.cgroup_used"] = host.cgroup.used_bytes
        facts["host.oom_kills"] = host.cgroup.oom_kills
        facts["threads.limit_of_cgroup"] = host.cgroup.pids_limit
    if host.shm and host.shm.total_bytes:
        facts["shm.available"] = host.shm.total_bytes
        if host.shm.free_bytes is not None:
            facts["shm.used_share"] = 1 - host.shm.free_bytes / host.shm.total_bytes
    fullest = fullest_of(host.disks)
    if fullest:
        facts["disk.free_least"], facts["disk.fullest"] = fullest.free_bytes, fullest.path
    names = {"nproc": "threads.limit", "nofile": "fd.limit", "memlock": "pinned.limit_bytes"}
    facts |= {name: host.limits[key] for key, name in names.items() if key in host.limits}
    facts["maps.limit"] = host.max_map_count
    facts["host.container"], facts["host.wsl"] = host.container, host.wsl or None
    return {name: value for name, value in facts.items() if value is not None}


def fullest_of(disks: Sequence[Disk]) -> Disk | None:
    """Return the writable disk with the least free space."""
    known = [disk for disk in disks if disk.free_bytes is not None and disk.total_bytes and not disk.read_only]
    return min(known, key=lambda disk: disk.free_bytes or 0, default=None)


def _folders(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    here = working_folder()
    found = [("working folder", here)] if here else []
    for role, variable, usual in FOLDERS:
        path = os.path.expanduser(environ.get(variable) or usual)
        while path and not os.path.lexists(path) and os.path.dirname(path) != path:
            path = os.path.dirname(path)
        found.append((role, path))
    return found


def _disks(wanted: Sequence[tuple[str, str]], limit_s: float) -> list[Disk]:
    """Return the disks of these folders, each read in its own thread, since a stale network mount may hang."""
    found: dict[int, Disk] = {}

    def ask(number: int, role: str, path: str) -> None:
        found[number] = _disk(role, path)

    threads = [
        threading.Thread(target=ask, args=(number, role, path), daemon=True)
        for number, (role, path) in enumerate(wanted)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(limit_s / max(len(threads), 1) if len(found) < len(threads) else 0)
    return [found.get(number) or Disk(role, path) for number, (role, path) in enumerate(wanted)]


def _disk(role: str, path: str) -> Disk:
    try:
        path_now = os.path.realpath(path)  # a working folder that was deleted has none
        usage = shutil.disk_usage(path_now)
        flags = os.statvfs(path_now).f_flag if hasattr(os, "statvfs") else 0
    except (OSError, AttributeError):  # there may be no such call
        return Disk(role, path)
    return Disk(role, path, usage.total, usage.free, read_only=bool(flags & getattr(os, "ST_RDONLY", 1)))


def _limits() -> dict[str, int | None]:
    if sys.platform == "win32":
        return {}
    try:
        import resource
    except ImportError:  # there are no resource limits
        return {}

    known = {name: getattr(resource, constant) for name, constant in LIMITS.items() if hasattr(resource, constant)}
    soft = {name: resource.getrlimit(constant)[0] for name, constant in known.items()}
    return {name: None if limit == resource.RLIM_INFINITY else limit for name, limit in soft.items()}


def _pressure(path: str) -> float | None:
    """Return the share of the last ten seconds in which some process stalled.
    https://docs.kernel.org/accounting/psi.html"""
    for field in text_of(path).split("\n")[0].split():
        if field.startswith("avg10="):
            try:
                return float(field[6:]) / 100
            except ValueError:
                return None
    return None


def _container(root: str, environ: Mapping[str, str]) -> str | None:
    """Return the kind of container; None outside of one."""
    if "KUBERNETES_SERVICE_HOST" in environ:
        return "Kubernetes"
    if "SINGULARITY_CONTAINER" in environ or "APPTAINER_CONTAINER" in environ:
        return "Apptainer"
    if os.path.exists(os.path.join(root, ".dockerenv")):
        return "Docker"
    if os.path.exists(os.path.join(root, "run/.containerenv")):
        return "Podman"
    if "ENROOT_ROOTFS" in environ:
        return "Enroot"
    return environ.get("container") or None


def own_names() -> tuple[list[str], list[str]]:
    """Return the names of the current user and those of this machine, without using the network; some may be empty."""
    users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    if sys.platform != "win32":
        try:
            import pwd

            entry = pwd.getpwuid(os.getuid())
            users += [entry.pw_name, entry.pw_gecos.partition(",")[0]]
        except (ImportError, AttributeError, KeyError, OSError):
            pass  # not POSIX, or a user without a name
    users.append(os.path.basename(os.path.expanduser("~")))
    try:
        host = socket.gethostname()
    except OSError:
        host = ""
    return users, [host, host.partition(".")[0]]
