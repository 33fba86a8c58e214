"""Who is at fault in a job of many ranks."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import explain, explain_text
from logsense.sources.file import file_source
from tests.conftest import Write
from tests.demo import FILES, signature

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
    assert _ranks(explain_text(log.encode(), load_catalog())) == []


def test_most_ranks_are_not_in_the_log() -> None:
    log = WATCHDOG.format(rank=0, seq=88) + WATCHDOG.format(rank=7, seq=88)
    assert _ranks(explain_text(log.encode(), load_catalog())) == []


def test_the_rank_that_gave_up_where_none_was_awaited(write_catalog: Write) -> None:
    files = {**FILES, "corpus/demo/quit.yaml": signature("quit", "consequence", "this worker gives up")}
    files["rules/hardware/lost.yaml"] = FILES["rules/hardware/lost.yaml"].replace("demo.peer", "demo.quit")
    log = "[rank1]: step 1 loss 2.0\n[rank1]: this worker gives up\n"
    report = explain_text(log.encode(), write_catalog(files))
    assert (report.diagnoses[0].cause, _ranks(report)) == ("hardware.lost", [1])


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


TIMED_OUT = (
    "[rank{0}]: Traceback (most recent call last):\n"
    '[rank{0}]:   File "/home/u/train.py", line {1}, in <module>\n'
    "[rank{0}]:     {2}\n"
    '[rank{0}]:   File "/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 3151, in wait\n'
    "[rank{0}]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:129] Timed out waiting 6000ms for "
    "send operation to complete\n"
)
CLOSED = "[rank{0}]: RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:{0}4217\n"
STOPPED = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-21_08:19:41
  host      : node01
  rank      : 2 (local_rank: 2)
  exitcode  : -15 (pid: 28917)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 28917
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-21_08:19:41
  host      : node01
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 28916)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""


def test_the_rank_that_waits_in_another_place() -> None:
    waits = [TIMED_OUT.format(rank, 61, "loss.backward()") for rank in (0, 1, 3)]
    log = "".join([*waits, TIMED_OUT.format(2, 40, "dist.broadcast(flag, 0)")])
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "distributed.collective-desync"
    assert _ranks(report) == [2]


def test_ranks_that_all_wait_in_one_place_do_not_differ() -> None:
    log = "".join(TIMED_OUT.format(rank, 61, "loss.backward()") for rank in (0, 1, 3))
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "distributed.collective-timeout"
    assert _ranks(report) == [2]


def test_a_rank_that_the_launcher_had_to_stop_did_not_leave_first() -> None:
    report = explain_text((CLOSED.format(1) + CLOSED.format(3) + STOPPED).encode(), load_catalog())
    assert _ranks(report) == [0]


@pytest.mark.parametrize(("op", "cause"), [("BROADCAST", "collective-desync"), ("SEND", "collective-timeout")])
def test_two_ranks_with_other_sizes_under_one_number(op: str, cause: str) -> None:
    log = "".join(
        WATCHDOG.format(rank=rank, seq=88).replace("ALLREDUCE", op).replace("NumelIn=262144", f"NumelIn={size}")
        for rank, size in enumerate((4, 512))
    )
    assert explain_text(log.encode(), load_catalog()).diagnoses[0].cause == f"distributed.{cause}"


def test_whom_the_launcher_did_not_have_to_stop_left_first() -> None:
    """Four of sixteen complain, the launcher stops eleven and says so: the one that it does not mention had left."""
    gone = "[rank{0}]: RuntimeError: [tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:1473{0}\n"
    entry = (
        "[{1}]:\n  time      : 2026-11-21_10:18:25\n  host      : node01\n  rank      : {0} (local_rank: {0})\n"
        "  exitcode  : -15 (pid: {0})  (SIGTERM)\n  error_file: <N/A>\n  traceback : Signal 15 (SIGTERM) received by PID {0}\n"
    )
    stopped = "".join(entry.format(rank, rank) for rank in range(4, 15))
    summary = (
        (
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
            + "=" * 60
            + "\ntrain.py FAILED\n"
            + "-" * 60
        )
        + f"\nFailures:\n{stopped}{'-' * 60}\nRoot Cause (first observed failure):\n[0]:\n  time      : 2026-11-21_10:18:25\n"
    )
    summary += "  host      : node01\n  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 77)\n" + "=" * 60 + "\n"
    starts = "".join(f"[rank{rank}]: step 1 loss 2.0\n" for rank in range(16))
    log = starts + "".join(gone.format(rank) for rank in (0, 1, 2, 3)) + summary
    assert _ranks(explain_text(log.encode(), load_catalog())) == [15]


CUT = '[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File "train.py", line 3, in <module>\n[rank{0}]:     main()\n'
LOST = "[rank{0}]: RuntimeError: [tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:1473\n"


def test_a_traceback_that_was_cut_off_names_the_rank_and_leaves_the_cause_to_the_others() -> None:
    log = (
        "".join(f"[rank{rank}]: step 1 loss 2.0\n" for rank in range(3))
        + CUT.format(2)
        + LOST.format(1)
        + LOST.format(0)
    )
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "distributed.peer-failed"
    assert report.diagnoses[0].confidence > 0.5
    assert [(one.rank, one.line) for one in report.culprits] == [(2, 4)]


def test_a_known_hint_at_the_end_is_no_unknown_failure() -> None:
    hint = "WARNING: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040). Please update\n"
    log = "".join(f"step {step} loss {3 / (step + 1):.4f} lr 0.0003\n" for step in range(8))
    known = explain_text((log + hint).encode(), load_catalog())
    unknown = explain_text((log + "Error: could not frob the twelfth widget\n").encode(), load_catalog())
    assert not known.unexplained
    assert unknown.unexplained


@pytest.mark.parametrize(("code", "means"), [(255, "exit(-1)"), (128, "fatal error"), (7, "own output")])
def test_a_worker_whose_error_no_log_shows_is_not_a_lost_peer(code: int, means: str) -> None:
    log = f"failed (exitcode: {code}) local_rank: 2 (pid: 7115) of binary: /opt/env/bin/python"
    first = explain_text(log.encode(), load_catalog()).diagnoses[0]
    assert first.cause == "distributed.peer-failed"
    assert f"exited with code {code}" in first.title
    assert means in first.explanation


@pytest.mark.parametrize("label", ["", "{rank}: "])
def test_srun_says_where_the_task_ran(label: str) -> None:
    steps = [f"{label.format(rank=rank)}step {step}/90 loss 0.5" for step in range(40) for rank in range(3)]
    error = label.format(rank=2) + "RuntimeError: shard 14 is empty"
    steps[60:60] = [f"{label.format(rank=2)}Traceback (most recent call last):", error]
    steps[70:70] = ["srun: error: gpu-b7: task 2: Exited with exit code 1"]
    report = explain_text("\n".join(steps).encode(), load_catalog())
    assert [(one.rank, one.host) for one in report.culprits] == [(2, "gpu-b7")]


def test_the_node_that_failed_and_not_the_one_that_says_so() -> None:
    log = "step 4/90 loss 0.5\nsrun: error: Node failure on c12\n"
    log += "slurmstepd: error: *** JOB 31 ON c10 CANCELLED AT 2026-01-05T05:05:05 DUE TO NODE FAILURE, SEE SLURMCTLD LOG ***\n"
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "scheduler.node-failure"
    assert [(one.rank, one.host) for one in report.culprits] == [(None, "c12")]


GLOO = (
    "[rank{rank}]: Traceback (most recent call last):\n"
    '[rank{rank}]:   File "/srv/fit.py", line 67, in <module>\n[rank{rank}]:     dist.all_reduce(tensor)\n'
    "[rank{rank}]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:545] Read error "
    "[127.0.0.1]:38837: Connection reset by peer.\n"
)
TAGGED = "".join(f"[{rank}] step {step}/12 loss {2.0 / (step + 1):.4f}\n" for step in range(5) for rank in (0, 2, 1))
HYDRA = (
    "\n===================================\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
    "=   PID 31529 RUNNING AT vm\n=   EXIT CODE: {code}\n=   CLEANING UP REMAINING PROCESSES\n"
    "===================================\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: {end} (signal {code})\n"
)


def test_who_lost_its_peer_is_not_at_fault() -> None:
    assert _ranks(explain_text((GLOO.format(rank=1) + GLOO.format(rank=0)).encode(), load_catalog())) == []


def test_ranks_in_brackets_of_mpich_show_which_is_silent() -> None:
    tagged = "".join(f"[{rank}] {line}\n" for rank in (0, 1) for line in GLOO.format(rank=rank).splitlines())
    assert _ranks(explain_text((TAGGED + tagged).encode(), load_catalog())) == [2]


def test_items_in_brackets_are_no_ranks() -> None:
    items = "".join(f"[{number}] loss {2.0 / (number + 1):.4f}\n" for number in range(9)) * 3
    report = explain_text((items + "[8] Traceback (most recent call last):\nKeyError: 'a'\n").encode(), load_catalog())
    assert _ranks(report) == []


def test_a_crash_that_the_launcher_reports_precedes_what_its_peers_say() -> None:
    log = GLOO.format(rank=1) + GLOO.format(rank=2) + HYDRA.format(code=11, end="Segmentation fault")
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "code.native-crash"
    assert _ranks(report) == [0]


LOGS = Path(__file__).parent.parent / "failing"


def test_a_rank_that_only_lost_its_peer_is_not_at_fault(built_in_catalog: Catalog) -> None:
    report = explain_text((LOGS / "torch--rank_exits.log").read_bytes(), built_in_catalog)
    assert (report.diagnoses[0].cause, _ranks(report)) == ("distributed.peer-failed", [])


def test_the_rank_that_a_barrier_missed_is_at_fault(built_in_catalog: Catalog) -> None:
    report = explain_text((LOGS / "torch--monitored_barrier.log").read_bytes(), built_in_catalog)
    assert (report.diagnoses[0].title, _ranks(report)) == ("Rank 1 didn't reach the barrier", [1])


def test_the_exit_code_is_of_the_rank_that_is_named_with_it(built_in_catalog: Catalog) -> None:
    log = LOGS.parent.parent / "examples" / "torchrun-missing-file.log"
    facts = explain_text(log.read_bytes(), built_in_catalog).facts
    assert (facts["process.rank"].value, facts["process.exit_code"].value) == (1, 1)
