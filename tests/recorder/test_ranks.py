"""Runs that are ranks of one job."""

from __future__ import annotations

import pytest

from logsense.model.live import Ended
from logsense.model.run import Rank, RecordedRun
from logsense.recorder.folder import read_rank
from logsense.recorder.runs import first_failed, rank_of, runs_of_job

STEP = {"SLURM_JOB_ID": "42", "SLURM_STEP_ID": "0", "SLURM_PROCID": "1", "SLURM_NTASKS": "2"}


def run(name: str, number: int, job: str = "42.0", after_s: float = 1.0, ended: Ended | None = None) -> RecordedRun:
    return RecordedRun(name, "", ("train",), "", "", 1e9, after_s, ended, rank=Rank(job, number, 2))


def test_a_task_of_a_step_is_a_rank() -> None:
    assert read_rank(STEP) == Rank("42.0", 1, 2)


@pytest.mark.parametrize(
    "more", [{"SLURM_STEP_ID": ""}, {"SLURM_NTASKS": "1"}, {"SLURM_PROCID": "x"}, {"SLURM_PROCID": "2"}]
)
def test_a_batch_script_or_a_single_task_is_none(more: dict[str, str]) -> None:
    assert read_rank({**STEP, **more}) is None


@pytest.mark.parametrize(("data", "rank"), [(["42.0", 1, 2], Rank("42.0", 1, 2)), (None, None), (["42.0"], None)])
def test_what_a_file_holds(data: object, rank: Rank | None) -> None:
    assert rank_of(data) == rank


def test_the_rank_that_failed_first_among_those_of_the_job() -> None:
    stopped, failed = run("d", 1, after_s=3.0, ended=Ended(None, 15)), run("c", 0, after_s=2.0, ended=Ended(1, None))
    known = [stopped, failed, run("b", 0, job="41.0", ended=Ended(1, None)), run("a", 0, ended=Ended(1, None))]
    assert runs_of_job(stopped, known) == [stopped, failed]
    assert first_failed([stopped, failed]) == failed
    assert first_failed([run("e", 0, ended=Ended(0, None))]) is None
