"""How the tasks of a survey are shared out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logsense.survey.find import Task
from logsense.survey.ray_engine import SHARE_BYTES, SHARE_TASKS, shares_of


def tasks_of(sizes: list[int]) -> list[Task]:
    return [Task(str(number), (str(number),), "", size, 0.0) for number, size in enumerate(sizes)]


@given(st.lists(st.integers(0, 3 * SHARE_BYTES)), st.integers(0, 50))
def test_every_task_is_in_one_share_and_no_share_is_large_but_for_a_single_task(sizes: list[int], workers: int) -> None:
    tasks = tasks_of(sizes)
    shares = shares_of(tasks, workers)
    assert sorted(task.name for share in shares for task in share) == sorted(task.name for task in tasks)
    for share in shares:
        assert 0 < len(share) <= SHARE_TASKS
        assert len(share) == 1 or sum(task.size_bytes for task in share) <= SHARE_BYTES
    begun = [share[0].size_bytes for share in shares]
    assert begun == sorted(begun, reverse=True)


def test_there_is_work_for_all() -> None:
    assert len(shares_of(tasks_of([1] * 100), 8)) >= 32
    assert len(shares_of(tasks_of([1] * 10_000), 8)) == -(-10_000 // SHARE_TASKS)
