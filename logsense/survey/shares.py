"""Split the tasks of a survey into shares for workers: large tasks alone and first, small ones together."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.survey.find import Task

# Sending a share to a worker costs a few milliseconds; reading a share of small logs takes about a second.
SHARE_BYTES, SHARE_TASKS = 8 << 20, 64


def shares_of(tasks: Sequence[Task], workers: int) -> list[list[Task]]:
    """Return `tasks` in shares, the largest first, with several shares per worker if there are enough tasks."""
    most = max(1, min(SHARE_TASKS, len(tasks) // (4 * max(1, workers))))
    shares: list[list[Task]] = []
    size_bytes = 0
    for task in sorted(tasks, key=lambda task: (-task.size_bytes, task.name)):
        if not shares or len(shares[-1]) >= most or size_bytes + task.size_bytes > SHARE_BYTES:
            shares.append([])
            size_bytes = 0
        shares[-1].append(task)
        size_bytes += task.size_bytes
    return shares
