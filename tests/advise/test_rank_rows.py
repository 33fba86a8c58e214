"""What each rank did at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import RankRow
from logsense.pipeline import explain, explain_text
from logsense.sources.file import file_source

STEP = "2026-05-03 10:00:{:02d},000 INFO step {} loss 2.31 lr 3.0e-04\n"
LATE = (
    "[rank{0}]:[E0503 10:10:1{0}.000 ProcessGroupNCCL.cpp:629] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=120, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600029 "
    "milliseconds before timing out.\n"
)


def rows_of(folder: Path, skew_s: int = 0) -> tuple[RankRow, ...]:
    """The rows of a job of four ranks, of which rank 2 goes silent after step 7; rank 1's clock is wrong."""
    for rank in range(4):
        steps = "".join(STEP.format(10 + step + (skew_s if rank == 1 else 0), step) for step in range(8))
        (folder / f"rank_{rank}.log").write_text(steps + ("" if rank == 2 else LATE.format(rank)))
    return explain([file_source(str(path)) for path in sorted(folder.iterdir())], load_catalog()).ranks


def test_a_row_for_each_rank(tmp_path: Path) -> None:
    rows = rows_of(tmp_path)
    assert [(row.rank, row.at_fault) for row in rows] == [(0, False), (1, False), (2, True), (3, False)]
    assert [[mark.kind for mark in row.marks] for row in rows] == [["progress", "consequence"]] * 2 + [
        ["progress"],
        ["progress", "consequence"],
    ]
    assert {row.marks[0].says for row in rows} == {"step 7"}
    assert [row.marks[-1].at_s for row in rows] == [pytest.approx(593), pytest.approx(594), 0, pytest.approx(596)]


def test_a_shared_step_sets_the_clocks(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, skew_s=30)
    assert {row.marks[0].at_s for row in rows} == {0.0}


def test_one_rank_has_no_rows() -> None:
    assert explain_text(STEP.format(1, 1).encode() + b"KeyError: 'loss'\n", load_catalog()).ranks == ()
