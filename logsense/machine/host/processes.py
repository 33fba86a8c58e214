"""Samples the processes of a job: the started one and its descendants."""

from __future__ import annotations

from logsense.model.run import JobSample

TYPE_CHECKING = False
if TYPE_CHECKING:
    import psutil as ps

# Counting open files takes too long in a large tree.
COUNT_FILES_UP_TO = 64
_LETTERS = {"running": "R", "sleeping": "S", "disk-sleep": "D", "zombie": "Z", "stopped": "T", "tracing-stop": "T"}


def tree(pid: int) -> tuple[int, ...]:
    """Return `pid` and its live descendants; an empty tuple if it has ended."""
    return tuple(process.pid for process in _tree(pid))


def sample_job(pid: int) -> JobSample:
    """Return the combined state of the processes of the job `pid`."""
    import psutil

    processes = threads = files = rss = largest = 0
    cpu_s = 0.0
    states: dict[str, int] = {}
    found = _tree(pid)
    countable = len(found) <= COUNT_FILES_UP_TO
    for process in found:
        try:
            with process.oneshot():
                state = _LETTERS.get(process.status(), process.status()[:1].upper())
                times, held = process.cpu_times(), process.memory_info().rss
                threads += process.num_threads()
        except psutil.Error:
            continue
        if countable:
            try:
                files += process.num_fds()  # type: ignore[attr-defined,unused-ignore]  # not on Windows
            except (psutil.Error, AttributeError):
                countable = False
        processes += 1
        cpu_s += times.user + times.system
        rss += held
        largest = max(largest, held)
        states[state] = states.get(state, 0) + 1
    if not processes:
        return JobSample()
    return JobSample(
        processes=processes,
        threads=threads,
        open_files=files if countable else None,
        rss_bytes=rss,
        largest_rss_bytes=largest,
        cpu_s=cpu_s,
        states=tuple(sorted(states.items())),
    )


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
