"""Does many pieces of work on all cores, in processes that share what the parent has loaded."""

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
_single = False


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def single_process() -> None:
    """From now on this process does all its work itself: it is one of a crew already."""
    global _single
    _single = True


def on_all_cores(work: Callable[[int], Result], count: int) -> Iterator[tuple[int, Result]]:
    """`work(number)` for the numbers from 0 up to `count`, each with its number, in the order in which they are done.

    Results must be picklable. What a process that dies leaves undone is left out, and all of it where processes can't
    be forked, or this one has more threads than one: the caller does that itself.
    """
    crew = min(cores(), count, MOST_PROCESSES)
    if _single or crew < 2 or not _can_fork():
        return
    from multiprocessing.connection import wait

    processes: list[BaseProcess] = []
    open_ends: list[Connection] = []
    try:
        for share in range(crew):
            _start(work, range(share, count, crew), processes, open_ends)
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
    """Whether a copy of this process works: not on macOS, whose libraries do not survive it, nor where threads run.

    They are missing in the copy, and whoever waits there for one, as libraries do when they end, waits for ever.
    """
    return sys.platform not in ("win32", "darwin") and _threads() == 1


def _threads() -> int:
    """How many threads this process has, those of libraries in other languages included, where the system tells."""
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
        target=_do, args=(work, share, theirs), daemon=True
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


def _do(work: Callable[[int], object], share: range, end: Connection) -> None:
    """One share of the work, in a process of its own."""
    try:
        for number in share:
            end.send((number, work(number)))
    except (KeyboardInterrupt, OSError):
        pass
    finally:
        end.close()
