"""What the kernel's log says counts only for the job that it is about."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.live import Ended, Live, Own
from logsense.model.report import Report
from logsense.pipeline import explain_text


def test_what_the_kernel_killed_is_another_process_where_ours_ended_by_an_exception() -> None:
    kernel = b"[Sat Nov 21 09:40:02 2026] Out of memory: Killed process 4711 (python) total-vm:9000kB, anon-rss:8000kB, file-rss:0kB\n"
    raised = b'Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n    print(config["lr"])\nKeyError: \'lr\'\n'
    live = Live("this machine", kernel_log=kernel)
    report = explain_text(raised, load_catalog(), look=lambda: live)
    assert report.diagnoses[0].cause.startswith("code.")
    worker = b"RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed. \n"
    report = explain_text(raised.replace(b"KeyError: 'lr'\n", worker), load_catalog(), look=lambda: live)
    assert report.diagnoses[0].cause == "host-memory.oom-killed"
    assert any(one.source == "kernel log" for one in report.diagnoses[0].evidence)


def _ended_beside_a_kill(printed: bytes, ended: Ended, own: Own) -> Report:
    kernel = (
        b"2026-11-21T09:40:02.000+00:00 oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
        b"oom_memcg=/slurm/uid_7/job_881,task_memcg=/slurm/uid_7/job_881/step_0,task=python,pid=4711,uid=7\n"
        b"2026-11-21T09:40:02.000+00:00 Memory cgroup out of memory: Killed process 4711 (python) total-vm:9000kB, anon-rss:8000kB, file-rss:0kB\n"
    )
    live = Live("this machine", kernel_log=kernel, own=own)
    return explain_text(printed, load_catalog(), ended=ended, look=lambda: live)


@pytest.mark.parametrize(
    ("printed", "own", "killed"),
    [
        (b"step 1\n", Own(), False),
        (b"step 1\n", Own(pids=frozenset({4712}), groups=frozenset({"/slurm/uid_7/job_882/step_0"})), False),
        (b"step 1\n", Own(pids=frozenset({4711})), True),
        (b"step 1\n", Own(groups=frozenset({"/slurm/uid_7/job_881/step_0"})), True),
        (b"step 1\ntrain.sh: line 3:  4711 Killed                  python train.py\n", Own(), True),
        (b"step 1\ntrain.sh: line 3:  4712 Killed                  python train.py\n", Own(), False),
        (b"step 1\nslurmstepd: error: Detected 1 oom-kill event(s) in StepId=881.0.\n", Own(), True),
        (b"step 1\nslurmstepd: error: Detected 1 oom-kill event(s) in StepId=882.0.\n", Own(), False),
    ],
)
def test_whom_the_kernel_killed(printed: bytes, own: Own, killed: bool) -> None:
    report = _ended_beside_a_kill(printed, Ended(status=3), own)
    assert ("host.limited_group" in report.facts) == killed
    said = [one.says for one in report.noise if "PID 4711" in one.says]
    assert len(said) == (0 if killed else 1)


def test_a_limit_is_called_by_who_set_it() -> None:
    report = _ended_beside_a_kill(b"step 1\n", Ended(signal=9), Own(pids=frozenset({4711})))
    assert report.diagnoses[0].cause == "host-memory.oom-killed"
    assert report.diagnoses[0].title == "The Slurm job hit its memory limit; python was killed"


LOST_GPU = b"2001-09-09T01:46:30.000+00:00 NVRM: Xid (PCI:0000:1b:00): 79, pid=%d, GPU has fallen off the bus.\n"
NO_FILE = b"Traceback (most recent call last):\n  File \"train.py\", line 4, in <module>\nFileNotFoundError: [Errno 2] No such file or directory: 'data/shard-7.pt'\n"
LOST_WORK = b'Traceback (most recent call last):\n  File "train.py", line 4, in <module>\nRuntimeError: CUDA error: unspecified launch failure\n'


@pytest.mark.parametrize(
    ("printed", "own", "lost"),
    [
        (b"step 1\n", Own(pids=frozenset({7})), False),
        (b"step 1\n", Own(pids=frozenset({4242})), True),
        (b"step 1\n", Own(gpus=frozenset({"00000000:1B:00.0"})), True),
        (b"step 1\n", Own(gpus=frozenset({"00000000:9B:00.0"})), False),
        (NO_FILE, Own(), False),
        (NO_FILE, Own(pids=frozenset({4242})), False),
        (LOST_WORK, Own(pids=frozenset({7})), False),
        (LOST_WORK, Own(pids=frozenset({4242})), True),
    ],
)
def test_whose_gpu_was_lost(printed: bytes, own: Own, lost: bool) -> None:
    live = Live("this machine", kernel_log=LOST_GPU % 4242, own=own)
    report = explain_text(printed, load_catalog(), ended=Ended(status=1), look=lambda: live)
    first = report.diagnoses[0].cause if report.diagnoses else ""
    assert first.startswith("hardware.") == lost
    assert lost or all(proof.source != "kernel log" for one in report.diagnoses for proof in one.evidence)
