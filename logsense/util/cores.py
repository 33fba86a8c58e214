"""Spread work over all cores, in forked processes that share what the parent has loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.process import BaseProcess
    from typing import Any, TypeVar

    Result = TypeVar("Result")


MOST_PROCESSES = 32
_work: Callable[[int], object]  # of a worker


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def on_all_cores(work: Callable[[int], Result], count: int) -> Iterator[tuple[int, Result]]:
    """Yield (number, `work(number)`) for the numbers from 0 to `count` - 1, in the order of completion.

    Results must be picklable. Numbers are missing if `work` or a process fails, and all are if no process can be forked
    or this one has several threads; the caller does those itself.
    """
    workers = min(cores(), count, MOST_PROCESSES)
    if workers < 2 or not _can_fork():
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    others = active_children()
    pool = ProcessPoolExecutor(workers, get_context("fork"), _init_worker, (work,))
    try:
        numbers = {pool.submit(_do, number): number for number in range(count)}
        for future in as_completed(numbers):
            if future.exception() is None:
                yield numbers[future], future.result()
    except (BrokenProcessPool, OSError):
        return
    finally:
        end_workers(pool, others)


def end_workers(pool: ProcessPoolExecutor, others: Collection[BaseProcess]) -> None:
    """End the workers of `pool` at once; unfinished results are discarded. `others` are children that are not its own.

    Those may be the data-loader workers of a program that calls logsense.
    """
    from multiprocessing import active_children

    for child in active_children():
        if child not in others:
            child.terminate()
    pool.shutdown(wait=True, cancel_futures=True)


def _can_fork() -> bool:
    """Return whether a fork of this process works: not on macOS, whose libraries do not survive it, nor with threads.

    Threads are missing in the fork, so libraries that wait for theirs wait forever. Workers of a survey have threads,
    so they start no further processes.
    """
    return sys.platform not in ("win32", "darwin") and _threads() == 1


def _threads() -> int:
    """Return how many threads this process has, including those of native libraries if the system counts them."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def _init_worker(work: Callable[[int], object]) -> None:
    """Keep `work` in a worker, which inherits it. Ctrl-C is left to the parent, which ends its workers."""
    import signal

    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work = work


def _do(number: int) -> Any:
    return _work(number)
