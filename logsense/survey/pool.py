"""Read the tasks of a survey in several processes. The rows do not depend on their number."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process

from logsense.catalog.files import Folder
from logsense.catalog.load import load_catalog
from logsense.match.read import keep_tools
from logsense.model.knowledge import Catalog
from logsense.model.survey import JobRow
from logsense.survey.find import Task
from logsense.survey.read import read_task, unreadable
from logsense.util.cores import end_workers

Done = tuple[Task, list[JobRow]]

# Below both, one process is faster: starting a worker costs as much as reading a dozen small logs.
LEAST_TASKS, LEAST_BYTES = 12, 16 << 20
QUEUED_PER_WORKER = 4
_catalog: Catalog | None = None


def read_tasks(
    tasks: Sequence[Task], workers: int, rules: str | None, corpus: str | None, trusted: Sequence[Folder] = ()
) -> Generator[Done, None, None]:
    """Yield each of `tasks` with the rows of its jobs, in order of completion; the largest start first.

    `rules`, `corpus` and `trusted` extend the catalog. Closing the generator ends the workers.
    """
    left = {task.name: task for task in sorted(tasks, key=lambda task: (-task.size_bytes, task.name))}
    is_small = len(left) < LEAST_TASKS and sum(task.size_bytes for task in tasks) < LEAST_BYTES
    if workers <= 1 or len(left) < 2 or is_small:
        catalog = load_catalog(rules, corpus, trusted=trusted)
        keep_tools(catalog)
        for task in left.values():
            yield task, read_task(task, catalog)
        return
    while left:
        before = len(left)
        suspects: list[Task] = []
        for done in _pooled(list(left.values()), workers, (rules, corpus, trusted), suspects):
            del left[done[0].name]
            yield done
        # A worker died while it read one of these. Read them one at a time: the task that kills a worker again is bad.
        while suspects:
            culprits: list[Task] = []
            for done in _pooled(suspects, 1, (rules, corpus, trusted), culprits, queued=1):
                del left[done[0].name]
                yield done
            for one in culprits:
                del left[one.name]
                yield one, [unreadable(one, "the process that read it was killed")]
            suspects = [one for one in suspects if one.name in left] if culprits else []
        if len(left) == before:  # no worker can be started here
            yield from read_tasks(list(left.values()), 1, rules, corpus, trusted)
            return


def _pooled(
    tasks: Sequence[Task],
    workers: int,
    own_folders: tuple[str | None, str | None, Sequence[Folder]],
    suspects: list[Task],
    queued: int = QUEUED_PER_WORKER,
) -> Generator[Done, None, None]:
    """Read `tasks` in `workers` processes. If one dies, append the unfinished tasks to `suspects`."""
    others = active_children()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _init_worker, own_folders)
    waiting = iter(tasks)
    running: dict[Future[list[JobRow]], Task] = {}
    try:
        while True:
            for task in waiting:
                running[pool.submit(_read_in_worker, task)] = task
                if len(running) >= queued * workers:
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
        end_workers(pool, others)


def _init_worker(rules: str | None, corpus: str | None, trusted: Sequence[Folder]) -> None:
    """Load the catalog in a worker. Ctrl-C is left to the parent, which ends its workers."""
    global _catalog
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    _catalog = load_catalog(rules, corpus, trusted=trusted)
    keep_tools(_catalog)


def _exit_with_parent() -> None:
    """End this worker if its parent is killed; otherwise it would wait forever."""
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _read_in_worker(task: Task) -> list[JobRow]:
    assert _catalog is not None, "_init_worker loads it"
    return read_task(task, _catalog)
