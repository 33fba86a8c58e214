"""Group the runs of one job that a launcher started as several processes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from logsense.model.run import Rank, RecordedRun
from logsense.model.values import to_count

# Variables that a launcher sets for each process: of the job, the rank, and the number of ranks.
# https://slurm.schedmd.com/srun.html#SECTION_OUTPUT-ENVIRONMENT-VARIABLES
LAUNCHERS = ((("SLURM_JOB_ID", "SLURM_STEP_ID"), "SLURM_PROCID", ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")),)


def read_rank(environ: Mapping[str, str] = os.environ) -> Rank | None:
    """Return the rank of this process if a launcher started it as one of several."""
    for job, rank, ranks in LAUNCHERS:
        number = to_count(environ.get(rank, ""))
        count = next((found for name in ranks if (found := to_count(environ.get(name, "")))), 0)
        # A batch script has a rank and a number of ranks too, but no step.
        if number is not None and number < count > 1 and environ.get(job[-1]):
            return Rank(".".join(environ.get(name, "") for name in job), number, count)
    return None


def rank_of(data: object) -> Rank | None:
    """Return the rank in `data`, read from a file; None if it is invalid."""
    match data:
        case [str(job), int(number), int(ranks)]:
            return Rank(job, number, ranks)
    return None


def runs_of_job(run: RecordedRun, known: Sequence[RecordedRun]) -> list[RecordedRun]:
    """Return the newest run of each rank of the job of `run` in `known`, newest first."""
    by_rank: dict[int, RecordedRun] = {}
    for one in known:
        if one.rank and run.rank and one.rank.job == run.rank.job:
            by_rank.setdefault(one.rank.number, one)
    return list(by_rank.values())


def first_failed(runs: Sequence[RecordedRun]) -> RecordedRun | None:
    """Return the run that failed first; the launcher then ends the others."""
    failed = [one for one in runs if one.ended and (one.ended.status or one.ended.signal)]
    return min(failed, key=lambda one: one.at_s + (one.after_s or 0.0), default=None)
