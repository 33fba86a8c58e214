"""Sample and describe the processes of a job, without touching them: the started one and its descendants."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable

from logsense.machine.programs import output_of
from logsense.model.machine import ProcessState
from logsense.model.run import JobSample
from logsense.util.files import listed, text_of
from logsense.util.regexes import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import psutil as ps

_LETTERS = {"running": "R", "sleeping": "S", "disk-sleep": "D", "zombie": "Z", "stopped": "T", "tracing-stop": "T"}
# In /proc/PID/limits and /proc/PID/status: a limit that is not "unlimited", and the size of the address space in KiB.
_LIMIT = Lazy(r"(?m)^Max (open files|address space) +(\d+)")
_SIZE = Lazy(r"(?m)^VmSize:\s+(\d+) kB")
LOOK_S, LIMIT_S = 0.5, 10.0
MOST_PROCESSES = 32
MOST_FRAMES = 6
WORDS = {
    "running": "running", "sleeping": "sleeping", "disk-sleep": "waiting for a device or network file system",
    "stopped": "stopped", "tracing-stop": "stopped by a debugger", "zombie": "ended, not reaped", "idle": "idle",
}  # fmt: skip


def tree(pid: int) -> tuple[int, ...]:
    """Return `pid` and its live descendants; an empty tuple if it has ended."""
    return tuple(process.pid for process in _tree(pid))


def sample_job(pid: int) -> JobSample:
    """Return the combined state of the processes of the job `pid`."""
    import psutil

    rss = largest = 0
    cpu_s = 0.0
    pids: list[int] = []
    states: dict[str, int] = {}
    for process in _tree(pid):
        try:
            with process.oneshot():
                state = _LETTERS.get(process.status(), process.status()[:1].upper())
                times, held = process.cpu_times(), process.memory_info().rss
        except psutil.Error:
            continue
        pids.append(process.pid)
        cpu_s += times.user + times.system
        rss += held
        largest = max(largest, held)
        states[state] = states.get(state, 0) + 1
    if not pids:
        return JobSample()
    open_files, address_space = shares_of_limits(pids)
    return JobSample(
        processes=len(pids),
        rss_bytes=rss,
        largest_rss_bytes=largest,
        cpu_s=cpu_s,
        states=tuple(sorted(states.items())),
        open_files_share=open_files,
        address_space_share=address_space,
    )


def shares_of_limits(pids: Iterable[int]) -> tuple[float | None, float | None]:
    """Return the largest share of its limit on open files that a process uses, and of that on its address space.

    The shares are from 0 to 1; None if no process has the limit, or none can be read.
    """
    files: list[float] = []
    space: list[float] = []
    for pid in pids:
        limits = dict(_LIMIT.findall(text_of(f"/proc/{pid}/limits")))
        held = _SIZE.search(text_of(f"/proc/{pid}/status"))
        if int(limits.get("open files", 0)):
            files.append(len(listed(f"/proc/{pid}/fd")) / int(limits["open files"]))
        if int(limits.get("address space", 0)) and held:
            space.append(int(held[1]) * 1024 / int(limits["address space"]))
    return max(files, default=None), max(space, default=None)


def _tree(pid: int) -> list[ps.Process]:
    import psutil

    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.Error:
        return []


def is_running(pid: int) -> bool:
    """Return whether a process with this number exists."""
    import psutil

    try:
        return pid > 0 and psutil.pid_exists(pid)  # on Windows, os.kill() would kill it
    except (OSError, OverflowError):
        return False


def describe_processes(pids: Iterable[int]) -> tuple[ProcessState, ...]:
    """Return what each of `pids` does, busiest first, without those that have ended; take about `LIMIT_S` at most."""
    import psutil

    until = time.monotonic() + LIMIT_S
    found = []
    for pid in list(pids)[:MOST_PROCESSES]:
        try:
            process = psutil.Process(pid)
            process.cpu_percent()  # the next call returns the share since this one
            found.append(process)
        except psutil.Error:  # noqa: PERF203
            continue
    time.sleep(LOOK_S)
    described = [one for process in found if (one := _describe(process))]
    described.sort(key=lambda one: (-(one.cpu_share or 0), one.pid))
    return tuple(one._replace(stack=_stack(one.pid, until - time.monotonic())) for one in described)


def _describe(process: ps.Process) -> ProcessState | None:
    import psutil

    try:
        with process.oneshot():
            return ProcessState(
                pid=process.pid,
                name=process.name(),
                state=WORDS.get(process.status(), process.status()),
                waits_in=text_of(f"/proc/{process.pid}/wchan").strip("0"),
                cpu_share=process.cpu_percent() / 100,
            )
    except psutil.Error:
        return None


def _stack(pid: int, left_s: float) -> tuple[str, ...]:
    """Return the Python frames from py-spy if it is installed and allowed, else the kernel's, else none."""
    tool = shutil.which("py-spy")
    if tool and left_s > 0.5:
        printed = output_of([tool, "dump", "--nonblocking", "--pid", str(pid)], min(left_s, 5.0))
        if printed:
            lines = printed.decode("utf-8", "replace").splitlines()
            return tuple([line.strip() for line in lines if line.startswith("    ")][:MOST_FRAMES])
    lines = [line.split("] ", 1)[-1].split("+0x")[0] for line in text_of(f"/proc/{pid}/stack").splitlines()]
    return tuple(f"kernel: {line}" for line in lines[:MOST_FRAMES] if line)
