"""Hands the tasks of a survey to several processes; the rows are the same for any number of them."""

from __future__ import annotations

import os

from logsense.catalog.load import load_catalog
from logsense.match.read import keep_tools
from logsense.survey.work import read, unreadable
from logsense.util.cores import single_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future, ProcessPoolExecutor

    from logsense.catalog.files import Folder
    from logsense.model.knowledge import Catalog
    from logsense.model.survey import JobRow
    from logsense.survey.find import Task

    Done = tuple[Task, list[JobRow]]

# Starting a worker costs as much as reading a dozen small logs.
LEAST_TASKS, LEAST_BYTES = 12, 16 << 20
AHEAD = 4  # tasks on their way, for each worker
_catalog: Catalog | None = None


def read_all(
    tasks: Sequence[Task], workers: int, rules: str | None, corpus: str | None, trusted: Sequence[Folder] = ()
) -> Generator[Done, None, None]:
    """Each of `tasks` with the rows of its jobs, as they get done, the largest begun first.

    `rules`, `corpus` and `trusted` add to the knowledge, as everywhere. Closing the iterator ends the workers.
    """
    left = {task.name: task for task in sorted(tasks, key=lambda task: (-task.size_bytes, task.name))}
    little = len(left) < LEAST_TASKS and sum(task.size_bytes for task in tasks) < LEAST_BYTES
    if workers <= 1 or len(left) < 2 or little:
        catalog = load_catalog(rules, corpus, trusted=trusted)
        keep_tools(catalog)
        for task in left.values():
            yield task, read(task, catalog)
        return
    while left:
        before = len(left)
        suspects: list[Task] = []
        for done in _pooled(list(left.values()), workers, (rules, corpus, trusted), suspects):
            del left[done[0].name]
            yield done
        # A worker died while these were read. They are read one after the other; at whom it dies again is at fault.
        while suspects:
            guilty: list[Task] = []
            for done in _pooled(suspects, 1, (rules, corpus, trusted), guilty, ahead=1):
                del left[done[0].name]
                yield done
            for one in guilty:
                del left[one.name]
                yield one, [unreadable(one, "the process that read it was killed")]
            suspects = [one for one in suspects if one.name in left] if guilty else []
        if len(left) == before:  # no worker can be started here
            yield from read_all(list(left.values()), 1, rules, corpus, trusted)
            return


def _pooled(
    tasks: Sequence[Task],
    workers: int,
    own: tuple[str | None, str | None, Sequence[Folder]],
    suspects: list[Task],
    ahead: int = AHEAD,
) -> Generator[Done, None, None]:
    """Reads `tasks` in `workers` processes. Where one of those dies, what was being read is put into `suspects`."""
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, own)
    waiting = iter(tasks)
    running: dict[Future[list[JobRow]], Task] = {}
    try:
        while True:
            for task in waiting:
                running[pool.submit(_read, task)] = task
                if len(running) >= ahead * workers:
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                rows = future.result()
                yield running.pop(future), rows
    except BrokenProcessPool:
        for future, task in running.items():
            if future.done() and future.exception() is None:
                yield task, future.result()
            else:
                suspects.append(task)
    finally:
        _end(pool)


def _end(pool: ProcessPoolExecutor) -> None:
    """Ends the workers at once: what they still read is not wanted any more."""
    from multiprocessing import active_children

    for worker in active_children():
        worker.terminate()
    pool.shutdown(wait=True, cancel_futures=True)


def _begin(rules: str | None, corpus: str | None, trusted: Sequence[Folder]) -> None:
    """In a worker: loads the knowledge, once. Ctrl-C is for the parent, which ends its workers."""
    global _catalog
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    single_process()
    _catalog = load_catalog(rules, corpus, trusted=trusted)
    keep_tools(_catalog)


def _leave_with_parent() -> None:
    """Ends this worker when its parent was killed, which would leave it waiting for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _read(task: Task) -> list[JobRow]:
    assert _catalog is not None, "a worker begins with loading it"
    return read(task, _catalog)
