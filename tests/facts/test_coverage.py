"""What is missing of the logs of a job is said, and does not mislead."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.reading import Coverage
from logsense.model.report import Report
from logsense.pipeline import explain
from logsense.render.json import report_data
from logsense.render.words import logs_in_words
from logsense.sources.folder import logs_in

STEP = "2026-11-02 03:0{0}:00,123 INFO step {0}00 loss 2.31 lr 3.0e-04\n"
GONE = "[rank{0}]: RuntimeError: [tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:1473{0}\n"


def job(folder: Path, there: dict[int, str]) -> Report:
    for rank, text in there.items():
        (folder / f"rank_{rank}.log").write_text(text)
    return explain(logs_in(str(folder)), load_catalog())


def steps(last: int) -> str:
    return "".join(STEP.format(step) for step in range(last))


def complaint(rank: int, before: str = "") -> str:
    return before + steps(8) + GONE.format(rank)


def test_ranks_that_left_no_log(tmp_path: Path) -> None:
    logs = job(tmp_path, {rank: complaint(rank) for rank in (0, 1, 4, 5, 7)}).logs
    assert logs == Coverage(8, missing=(2, 3, 6))
    assert logs_in_words(logs) == "5 of 8 ranks have logs; missing: ranks 2, 3, 6"


def test_the_job_says_how_many_there_should_be(tmp_path: Path) -> None:
    ready = "comm 0x55d8 rank {0} nranks 8 cudaDev {0} nvmlDev {0} busId 1b000 commId 0xd3ad - Init COMPLETE\n"
    report = job(
        tmp_path, {rank: complaint(rank, "NCCL INFO ncclCommInitRank " + ready.format(rank)) for rank in (0, 1)}
    )
    assert report.logs == Coverage(8, missing=(2, 3, 4, 5, 6, 7))
    assert report_data(report)["logs"] == {"ranks": 8, "missing": [2, 3, 4, 5, 6, 7], "empty": [], "cut": []}


def test_a_silent_log_counts_for_more_than_one_that_is_empty_or_breaks_off(tmp_path: Path) -> None:
    there = {rank: complaint(rank) for rank in range(12)} | {3: "", 5: steps(2), 9: steps(8)}
    report = job(tmp_path, there)
    assert report.logs == Coverage(12, empty=(3,), cut=(5,))
    assert logs_in_words(report.logs).endswith("; empty: rank 3; cut off early: rank 5")
    assert [one.rank for one in report.culprits] == [9]


def test_where_no_other_is_silent_the_one_without_a_log_is_meant(tmp_path: Path) -> None:
    report = job(tmp_path, {rank: complaint(rank) for rank in range(8) if rank != 3})
    assert report.logs == Coverage(8, missing=(3,))
    assert [one.rank for one in report.culprits] == [3]


@pytest.mark.parametrize("ranks", [(0, 1, 2, 3), (0,)])
def test_nothing_is_said_where_nothing_is_missing(tmp_path: Path, ranks: tuple[int, ...]) -> None:
    assert job(tmp_path, {rank: complaint(rank) for rank in ranks}).logs is None


def test_a_number_that_is_no_rank_makes_no_list(tmp_path: Path) -> None:
    assert job(tmp_path, {0: complaint(0), 123456: complaint(1)}).logs is None


def test_ranks_that_share_a_log_are_there(tmp_path: Path) -> None:
    (tmp_path / "srun.out").write_text("".join(f"{rank}: {STEP.format(1)}" for rank in (2, 3)))
    assert job(tmp_path, {rank: complaint(rank) for rank in (0, 1)}).logs is None


SUMMARY = (
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n{0}\ntrain.py FAILED\n{1}\nFailures:\n{2}{1}\n"
    "Root Cause (first observed failure):\n{3}{0}\n"
)
ENTRY = "[{0}]:\n  time      : 2026-11-02_03:18:25\n  host      : node01\n  rank      : {1} (local_rank: {1})\n"
FAILED = ENTRY + "  exitcode  : 1 (pid: 77)\n  error_file: <N/A>\n"
STOPPED = ENTRY + "  exitcode  : -15 (pid: 77)  (SIGTERM)\n  traceback : Signal 15 (SIGTERM) received by PID 77\n"


def test_a_launcher_tells_of_ranks_that_do_not_name_themselves(tmp_path: Path) -> None:
    """Nobody prints a rank, but the launcher saw 0 fail and stopped all others but 2, which had left before."""
    gone = GONE.replace("[rank{0}]: ", "").format(1)
    stopped = "".join(STOPPED.format(rank, rank) for rank in (1, 3, 4, 5))
    summary = SUMMARY.format("=" * 60, "-" * 60, stopped, FAILED.format(0, 0))
    (tmp_path / "train.log").write_text(steps(4) + gone + gone + summary)
    assert [one.rank for one in explain(logs_in(str(tmp_path)), load_catalog()).culprits] == [2]


def test_ranks_without_a_log_that_the_launcher_saw_fail_complained_as_well(tmp_path: Path) -> None:
    entries = STOPPED.format(2, 2) + STOPPED.format(3, 3) + FAILED.format(0, 0) + FAILED.format(4, 4)
    (tmp_path / "launcher.log").write_text(SUMMARY.format("=" * 60, "-" * 60, entries, FAILED.format(1, 1)))
    report = job(tmp_path, {1: complaint(1), 2: complaint(2), 3: steps(8)})
    assert report.logs == Coverage(5, missing=(0, 4))
    assert [one.rank for one in report.culprits] == [3]
