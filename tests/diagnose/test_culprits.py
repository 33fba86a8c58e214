"""Who is at fault in a job of many ranks."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain, explain_text
from logsense.sources.file import file_source

WATCHDOG = (
    "[rank{rank}]:[E1102 03:14:1{rank}.926 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=262144, NumelOut=262144, Timeout(ms)=600000) ran for 600021 milliseconds "
    "before timing out.\n"
)
STATE = (
    "[rank{rank}]:[E1102 03:14:1{rank}.900 ProcessGroupNCCL.cpp:1834] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
    "Timeout at NCCL work: {seq}, last enqueued NCCL work: {queued}, last completed NCCL work: {done}.\n"
)


def _ranks(report: Report) -> list[int | None]:
    return [one.rank for one in report.culprits]


def _logs(folder: Path, logs: dict[str, str]) -> Report:
    for name, text in logs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return explain([file_source(str(folder / name)) for name in logs], load_catalog())


@pytest.mark.parametrize("silent", [0, 1, 2])
def test_the_rank_that_says_nothing(silent: int) -> None:
    log = "".join(WATCHDOG.format(rank=rank, seq=88) for rank in range(4) if rank != silent)
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "distributed.collective-timeout"
    assert _ranks(report) == [silent]
    assert any(f"waited for rank {silent}" in one.says for one in report.diagnoses[0].evidence)


def test_all_ranks_say_the_same() -> None:
    log = "".join(WATCHDOG.format(rank=rank, seq=88) for rank in range(4))
    assert _ranks(explain_text(log.encode(), load_catalog())) == [0]


def test_most_ranks_are_not_in_the_log() -> None:
    log = WATCHDOG.format(rank=0, seq=88) + WATCHDOG.format(rank=7, seq=88)
    assert _ranks(explain_text(log.encode(), load_catalog())) == [0]


def test_the_rank_that_is_behind() -> None:
    log = "".join(
        STATE.format(rank=rank, seq=88, queued=88 if rank != 2 else 87, done=87) + WATCHDOG.format(rank=rank, seq=88)
        for rank in range(4)
    )
    assert _ranks(explain_text(log.encode(), load_catalog())) == [2]


def test_a_failure_of_its_own_goes_before_all_time_outs() -> None:
    log = "".join(WATCHDOG.format(rank=rank, seq=88) for rank in range(3))
    log += "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.10 GiB of which 1.00 GiB is free.\n"
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause.startswith("gpu-memory.")
    assert _ranks(report) == [3]


def test_the_launchers_account_where_no_line_names_a_rank() -> None:
    log = (
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        "============================================================\ntrain.py FAILED\n"
        "------------------------------------------------------------\nFailures:\n  <NO_OTHER_FAILURES>\n"
        "------------------------------------------------------------\nRoot Cause (first observed failure):\n[0]:\n"
        "  time      : 2025-02-11_10:20:30\n  host      : gpu-03\n  rank      : 5 (local_rank: 1)\n"
        "  exitcode  : -11 (pid: 22871)\n  error_file: <N/A>\n  traceback : Signal 11 (SIGSEGV) received by PID 22871\n"
        "============================================================\n"
    )
    assert _ranks(explain_text(log.encode(), load_catalog())) == [5]


def test_ranks_in_names_of_files(tmp_path: Path) -> None:
    failure = "FileNotFoundError: [Errno 2] No such file or directory: '/data/x.bin'\n"
    report = _logs(
        tmp_path, {f"attempt_0/{rank}/stderr.log": failure if rank == 2 else "step 1\n" for rank in range(4)}
    )
    assert _ranks(report) == [2]


def test_the_first_failure_by_the_clock_whatever_the_order_of_the_files(tmp_path: Path) -> None:
    line = "2025-02-11 10:20:{second} ERROR train: RuntimeError: CUDA error: an illegal memory access was encountered\n"
    logs = {f"rank_{rank}.log": line.format(second=second) for rank, second in enumerate((40, 31, 45))}
    for order in itertools.permutations(logs):
        report = _logs(tmp_path, {name: logs[name] for name in order})
        assert _ranks(report) == [1], order
        assert report.diagnoses[0].cause == "code.illegal-memory-access"
