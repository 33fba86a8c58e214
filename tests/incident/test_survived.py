"""What schedulers, clusters, kernels and drivers say beside the logs of a job is joined to the rank that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.facts.rank_places import address
from logsense.model.report import Report
from logsense.pipeline import explain
from logsense.sources.folder import logs_in

STEP = "2026-11-02 03:0{0}:00,123 INFO step {0}00 loss 2.31 lr 3.0e-04\n"
STEPS = "".join(STEP.format(minute) for minute in range(5))
LATE = (
    "[rank{0}]:[E1102 03:14:1{1}.926000000 ProcessGroupNCCL.cpp:616] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=88, OpType=ALLREDUCE, NumelIn=262144, NumelOut=262144, Timeout(ms)=600000) ran for 600021 "
    "milliseconds before timing out.\n"
)
BUSES = ("1b000", "43000", "52000", "61000", "9b000", "c3000", "d1000", "df000")
XID = "NVRM: Xid (PCI:0000:9b:00): {}, pid={}, name={}, {}\n"
LOST = XID.format(79, "'<unknown>'", "<unknown>", "GPU has fallen off the bus.")
DOUBLE_BIT = XID.format(48, 41004, "python3", "An uncorrectable double bit error (DBE) has been detected on GPU.")


def job(folder: Path, silent: int | None, beside: dict[str, str], late: str = LATE) -> Report:
    """A job of sixteen ranks on node6 and node7, of which one goes silent, with other files beside the logs."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(16):
        gpu = rank % 8
        ready = (
            f"node{6 + rank // 8}:{41000 + gpu}:{42000 + gpu} [{gpu}] NCCL INFO ncclCommInitRank comm 0x55d8 rank {rank} "
            f"nranks 16 cudaDev {gpu} nvmlDev {gpu} busId {BUSES[gpu]} commId 0xd3ad - Init COMPLETE\n"
        )
        text = ready + STEPS + ("" if rank == silent else late.format(rank, rank % 10))
        (folder / f"slurm-8812_{rank}.out").write_text(text)
    for name, text in beside.items():
        (folder / name).write_text(text)
    return explain(logs_in(str(folder)), load_catalog())


def told(report: Report) -> tuple[str, list[tuple[int | None, str | None]]]:
    """The first cause, and the ranks and machines at fault."""
    return report.diagnoses[0].cause, [(one.rank, one.host) for one in report.culprits]


@pytest.mark.parametrize(
    ("seconds", "said"), [("02", "came 2 s before"), ("00", "came 123 ms later"), ("59", "came 59 s before")]
)
def test_a_kernel_that_lost_a_gpu_before_its_rank_went_silent(tmp_path: Path, seconds: str, said: str) -> None:
    report = job(tmp_path, 12, {"node7-dmesg.log": f"[Mon Nov  2 03:04:{seconds} 2026] {LOST}"})
    assert told(report) == ("hardware.fallen-off-bus", [(12, "node7")])
    beside = [one.says for one in report.diagnoses[0].evidence]
    assert any(says.startswith("rank 12, which the others waited for, ran on it; its last line") for says in beside)
    if said:
        assert any(said in says for says in beside), beside
    assert report.rerun
    assert report.rerun.exclude == ("node7",)


def test_the_process_that_the_driver_names_tells_the_rank(tmp_path: Path) -> None:
    syslog = f"Nov  2 03:04:02 node7 kernel: [430954.509105] {DOUBLE_BIT}"
    assert told(job(tmp_path, None, {"syslog": syslog})) == ("hardware.ecc-uncorrectable", [(12, "node7")])


def test_the_same_gpu_of_another_machine_is_not_meant(tmp_path: Path) -> None:
    syslog = f"Nov  2 03:04:02 node6.cluster kernel: [430954.509105] {DOUBLE_BIT}"
    assert told(job(tmp_path, None, {"syslog": syslog}))[1] == [(4, "node6.cluster")]


def test_a_machine_of_which_nobody_knows_what_ran_there_is_named_without_a_rank(tmp_path: Path) -> None:
    assert told(job(tmp_path, None, {"syslog": f"Nov  2 03:04:02 node9 kernel: {LOST}"}))[1] == [(None, "node9")]


REPORT = """
____________________________________________
Start of NVIDIA bug report log file.
nvidia-bug-report.sh Version: 40384625
Date: Mon Nov  2 04:00:11 UTC 2026
uname: Linux node7 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 x86_64 x86_64 GNU/Linux
____________________________________________
*** dmesg
[430954.509105] {0}"""


def test_a_bug_report_names_its_machine_inside(tmp_path: Path) -> None:
    report = job(tmp_path / "logs" / "train", 12, {"nvidia-bug-report.log": REPORT.format(LOST)})
    assert told(report) == ("hardware.fallen-off-bus", [(12, "node7")])


def test_what_a_machine_said_days_before_is_not_of_this_job_whatever_its_log_is_called(tmp_path: Path) -> None:
    report = job(tmp_path, 12, {"syslog": f"Oct 30 03:04:02 node7 kernel: [430954.509105] {LOST}"})
    assert told(report) == ("distributed.collective-timeout", [(12, "node7")])


SMI = """
==============NVSMI LOG==============
Driver Version                                         : 570.124.06
Attached GPUs                                          : 8
GPU 00000000:1B:00.0
    Remapped Rows
        Correctable Error                              : 0
        Uncorrectable Error                            : {0}
        Pending                                        : {1}
        Remapping Failure Occurred                     : No
GPU 00000000:9B:00.0
    Remapped Rows
        Correctable Error                              : 0
        Uncorrectable Error                            : {2}
        Pending                                        : {3}
        Remapping Failure Occurred                     : No
"""


def test_rows_that_wait_on_the_gpu_of_the_silent_rank_explain_it(tmp_path: Path) -> None:
    report = job(tmp_path, 12, {"node7-nvidia-smi-q.txt": SMI.format(0, "No", 1, "Yes")})
    assert told(report) == ("hardware.row-remap", [(12, "node7")])


def test_rows_that_wait_on_another_gpu_do_not(tmp_path: Path) -> None:
    report = job(tmp_path, 12, {"node7-nvidia-smi-q.txt": SMI.format(1, "Yes", 0, "No")})
    assert told(report) == ("distributed.collective-timeout", [(12, "node7")])


def test_dcgm_numbers_the_gpus_of_its_machine(tmp_path: Path) -> None:
    health = "| -> 4                      | Failure      |\n|    | Detected XID 79 for GPU 4     |\n"
    report = job(tmp_path, 12, {"node7-dcgmi-health.txt": health})
    assert told(report) == ("hardware.fallen-off-bus", [(12, "node7")])


SACCT = """JobID           JobName      State ExitCode        NodeList     MaxRSS     ReqMem
------------ ---------- ---------- -------- --------------- ---------- ----------
8812              train {0:<10}    0:125       node[6-7]                 480G
8812.batch        batch {0:<10}    0:125           node6   1204000K
8812.extern      extern  COMPLETED      0:0       node[6-7]        12K
"""
ROWS = """JobID|JobName|State|ExitCode|NodeList
8812|train|{0}|0:0|node[6-7]
8812.batch|batch|CANCELLED|0:15|node6
"""


@pytest.mark.parametrize(
    ("records", "cause"),
    [
        (SACCT.format("OUT_OF_ME+"), "host-memory.oom-killed"),
        (SACCT.format("NODE_FAIL"), "scheduler.node-failure"),
        (ROWS.format("OUT_OF_MEMORY"), "host-memory.oom-killed"),
        (ROWS.format("PREEMPTED"), "scheduler.preempted"),
        ("JobId=8812 JobName=train\n   JobState=NODE_FAIL Reason=None\n", "scheduler.node-failure"),
    ],
)
def test_the_record_of_the_job_and_the_silent_rank(tmp_path: Path, records: str, cause: str) -> None:
    assert told(job(tmp_path, 12, {"sacct.txt": records})) == (cause, [(12, "node7")])


@pytest.mark.parametrize(
    ("records", "cause"),
    [
        (ROWS.format("TIMEOUT"), "scheduler.time-limit"),
        (ROWS.format("CANCELLED by 1004"), "scheduler.cancelled"),
        (SACCT.format("CANCELLED+"), "scheduler.cancelled"),
    ],
)
def test_the_record_of_a_job_whose_ranks_all_just_stop(tmp_path: Path, records: str, cause: str) -> None:
    assert told(job(tmp_path, None, {"sacct.txt": records}, late="")) == (cause, [])


def test_a_record_that_only_says_failed_says_nothing(tmp_path: Path) -> None:
    report = job(tmp_path, 12, {"sacct.txt": ROWS.format("FAILED")})
    assert told(report) == ("distributed.collective-timeout", [(12, "node7")])


DESCRIBED = """Name:             train-worker-3
Namespace:        ml
Node:             gpu-node-7/10.0.3.7
Status:           Failed
Containers:
  pytorch:
    State:          Terminated
      Reason:       OOMKilled
      Exit Code:    137
"""
EVENTS = """LAST SEEN   TYPE      REASON      OBJECT               MESSAGE
12m         Normal    Scheduled   pod/train-worker-2   Successfully assigned ml/train-worker-2 to gpu-node-6
12m         Normal    Scheduled   pod/train-worker-3   Successfully assigned ml/train-worker-3 to gpu-node-7
3m2s        Warning   Evicted     pod/train-worker-3   The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 2Gi.
"""


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [("pod.txt", DESCRIBED, "host-memory.oom-killed"), ("events.txt", EVENTS, "storage.disk-full")],
)
@pytest.mark.parametrize("ranks", [True, False])
def test_what_a_cluster_says_of_a_pod(tmp_path: Path, name: str, text: str, cause: str, ranks: bool) -> None:
    for worker in range(6):
        own = f"[rank{worker}]: starts\n" if ranks else ""
        late = "" if worker == 3 else LATE.format(worker, worker)
        (tmp_path / f"train-worker-{worker}.log").write_text(own + STEPS + late)
    (tmp_path / name).write_text(text)
    assert told(explain(logs_in(str(tmp_path)), load_catalog())) == (cause, [(3, "gpu-node-7")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PCI:0000:9b:00", "0000:9b:00"),
        ("00000000:9B:00.0", "0000:9b:00"),
        ("9b:00.0", "0000:9b:00"),
        ("9b000", "0000:9b:00"),
        ("7000", "0000:07:00"),
        ("1901000", "0019:01:00"),
        ("0x9b000", None),
        ("GPU-1f2e", None),
        ("", None),
    ],
)
def test_addresses_in_one_spelling(text: str, expected: str | None) -> None:
    assert address(text) == expected
