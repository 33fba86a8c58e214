"""Find the logs of the job that wrote last."""

from __future__ import annotations

import os

from logsense.sources.find import dated_logs
from logsense.survey.jobs import group
from logsense.util.noun import NamedTuple

SAME_RUN_S = 24 * 3600  # a log that was written a day before the newest is of another run


class NewestJob(NamedTuple):
    """The name and the logs of a job, and when the last of them was written."""

    name: str
    logs: tuple[str, ...]
    at_s: float


def newest_job(folder: str = ".") -> NewestJob | None:
    """Return the job with the newest log below `folder`: that log, and those of its other ranks and streams."""
    dated = dated_logs(folder)
    if not dated:
        return None
    at_s, newest = max(dated)
    fresh = [path.replace(os.sep, "/") for written_s, path in dated if at_s - written_s <= SAME_RUN_S]
    name, logs = next((name, logs) for name, logs in group(fresh).items() if newest.replace(os.sep, "/") in logs)
    return NewestJob(name, tuple(logs), at_s)


def in_words(job: NewestJob) -> str:
    """Return "the newest log, train.log" or "the newest logs, rank*.log"."""
    return f"the newest log{'s' if len(job.logs) > 1 else ''}, {job.name}"
