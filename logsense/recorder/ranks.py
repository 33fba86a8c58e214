"""Runs that are processes of one job, which a launcher started side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from logsense.model.run import Rank, RecordedRun
from logsense.model.values import to_count

# The variables that a launcher sets for each process that it starts: of the job, the rank, and the number of ranks.
# https://slurm.schedmd.com/srun.html#SECTION_OUTPUT-ENVIRONMENT-VARIABLES
LAUNCHERS = ((("SLURM_JOB_ID", "SLURM_STEP_ID"), "SLURM_PROCID", ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")),)


def read_rank(environ: Mapping[str, str] = os.environ) -> Rank | None:
    """The rank that this process is, if a launcher started it as one of several."""
    for job, rank, ranks in LAUNCHERS:
        number = to_count(environ.get(rank, ""))
        count = next((found for name in ranks if (found := to_count(environ.get(name, "")))), 0)
        # A batch script is given a rank and their number, too, but it belongs to no step.
        if number is not None and number < count > 1 and environ.get(job[-1]):
            return Rank(".".join(environ.get(name, "") for name in job), number, count)
    return None


def rank_of(data: object) -> Rank | None:
    """The rank that `data`, read from a file, describes."""
    match data:
        case [str(job), int(number), int(ranks)]:
            return Rank(job, number, ranks)
    return None


def beside(run: RecordedRun, known: Sequence[RecordedRun]) -> list[RecordedRun]:
    """The newest run of each rank of the job of `run` among those that are `known`, newest first."""
    by_rank: dict[int, RecordedRun] = {}
    for one in known:
        if one.rank and run.rank and one.rank.job == run.rank.job:
            by_rank.setdefault(one.rank.number, one)
    return list(by_rank.values())


def first_failed(runs: Sequence[RecordedRun]) -> RecordedRun | None:
    """The run that failed first; the launcher ends the others then."""
    failed = [one for one in runs if one.ended and (one.ended.status or one.ended.signal)]
    return min(failed, key=lambda one: one.at_s + (one.after_s or 0.0), default=None)
