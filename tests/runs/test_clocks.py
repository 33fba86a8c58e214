"""Logs of one job and of its machines, brought together by their clocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain
from logsense.sources.folder import logs_in

STEP = "2026-11-02 03:0{}:00,123 INFO step {} loss 2.31 lr 3.0e-04\n"
LATE = (
    "[rank{0}]:[E1102 03:14:1{0}.926000000 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=262144, NumelOut=262144, Timeout(ms)=600000) ran for 600021 "
    "milliseconds before timing out.\n"
)
LOST = "[{} 2026] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"


def job(folder: Path, lost_at: str, name: str) -> Report:
    """A job of six ranks, of which rank 4 goes silent, with the kernel log of a machine."""
    steps = "".join(STEP.format(minute, minute * 100) for minute in range(5))
    for rank in range(6):
        (folder / f"rank_{rank}.log").write_text(steps + ("" if rank == 4 else LATE.format(rank)))
    (folder / name).write_text(LOST.format(lost_at))
    return explain(logs_in(str(folder)), load_catalog())


@pytest.mark.parametrize("at", ["Mon Nov  2 03:04:02", "Mon Nov  2 11:04:02"])
def test_the_machines_log_names_the_cause_and_the_others_the_rank(tmp_path: Path, at: str) -> None:
    report = job(tmp_path, at, "node1-dmesg.log")
    assert report.diagnoses[0].cause == "hardware.fallen-off-bus"
    assert [(one.rank, one.host) for one in report.culprits] == [(4, "node1")]
    assert report.rerun
    assert report.rerun.exclude == ("node1",)


def test_what_a_machine_said_days_before_is_not_of_this_job(tmp_path: Path) -> None:
    report = job(tmp_path, "Fri Oct 30 03:04:02", "node1-dmesg.log")
    assert not report.diagnoses[0].cause.startswith("hardware.")
    assert [one.rank for one in report.culprits] == [4]


def test_the_log_that_failed_first_goes_first_whatever_its_name_and_clock(tmp_path: Path) -> None:
    missing = "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-{}.tar'\n"
    trace = 'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n'
    (tmp_path / "rank_0.log").write_text(STEP.format(4, 1) + trace + missing.format(0))
    (tmp_path / "rank_1.log").write_text(
        "I1102 03:02:00.000000 77 data.py:3] step 1 loss 2.31\n" + trace + missing.format(1)
    )
    report = explain(logs_in(str(tmp_path)), load_catalog())
    assert [one.rank for one in report.culprits] == [1]


def test_beside_logs_that_name_their_rank_another_may_be_of_a_machine(tmp_path: Path) -> None:
    report = job(tmp_path, "Fri Oct 30 03:04:02", "console.log")
    assert not report.diagnoses[0].cause.startswith("hardware.")


def test_without_ranks_no_log_is_of_a_machine(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text(LOST.format("Fri Oct 30 03:04:02"))
    (tmp_path / "train.log").write_text(STEP.format(4, 1))
    report = explain(logs_in(str(tmp_path)), load_catalog())
    assert report.diagnoses[0].cause.startswith("hardware.")
