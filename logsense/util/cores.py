"""Spreads work over all cores, in forked processes that share what the parent has loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from typing import TypeVar

    Result = TypeVar("Result")


MOST_PROCESSES = 32
_disabled = False


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def disable_processes() -> None:
    """Make `on_all_cores` do nothing in this process, because it is already one of several workers."""
    global _disabled
    _disabled = True


def on_all_cores(work: Callable[[int], Result], count: int) -> Iterator[tuple[int, Result]]:
    """Yield (number, `work(number)`) for the numbers from 0 to `count` - 1, in the order of completion.

    Results must be picklable. Numbers are missing if a process dies, and all are if processes can't be forked or this
    one has several threads; the caller does those itself.
    """
    workers = min(cores(), count, MOST_PROCESSES)
    if _disabled or workers < 2 or not _can_fork():
        return
    from multiprocessing.connection import wait

    processes: list[BaseProcess] = []
    open_ends: list[Connection] = []
    try:
        for share in range(workers):
            _start(work, range(share, count, workers), processes, open_ends)
        while open_ends:
            for end in wait(open_ends):
                got: tuple[int, Result] | None = _receive(end)  # type: ignore[arg-type]
                if got is None:
                    open_ends.remove(end)  # type: ignore[arg-type]
                else:
                    yield got
    except OSError:
        return
    finally:
        for process in processes:
            process.terminate()
            process.join()


def _can_fork() -> bool:
    """Return whether a fork of this process works: not on macOS, whose libraries do not survive it, nor with threads.

    Threads are missing in the fork, so libraries that wait for theirs wait forever.
    """
    return sys.platform not in ("win32", "darwin") and _threads() == 1


def _threads() -> int:
    """Return how many threads this process has, including those of native libraries if the system counts them."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def _start(
    work: Callable[[int], object], share: range, processes: list[BaseProcess], open_ends: list[Connection]
) -> None:
    from multiprocessing import get_context

    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(  # type: ignore[attr-defined,unused-ignore]  # never on Windows
        target=_do_share, args=(work, share, theirs), daemon=True
    )
    process.start()
    theirs.close()
    processes.append(process)
    open_ends.append(ours)  # type: ignore[arg-type,unused-ignore]


def _receive(end: Connection) -> tuple[int, Result] | None:
    try:
        return end.recv()  # type: ignore[no-any-return]
    except (EOFError, OSError):
        return None


def _do_share(work: Callable[[int], object], share: range, end: Connection) -> None:
    try:
        for number in share:
            end.send((number, work(number)))
    except (KeyboardInterrupt, OSError):
        pass
    finally:
        end.close()
