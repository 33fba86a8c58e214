"""Several programs in one log: the failure that ended it is explained, one that a script went on after is told."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text
from logsense.render.formats import render
from logsense.render.layout import Look
from tests.conftest import Write
from tests.demo import FILES


def steps(first: int, last: int) -> str:
    return "".join(
        f"Epoch {epoch}/{last} step {step} loss {2 / (epoch + step / 100):.4f}\n"
        for epoch in range(first, last + 1)
        for step in range(0, 300, 10)
    )


def raised(file: str, line: int, code: str, error: str) -> str:
    frames = f'  File "{file}", line 80, in <module>\n    main()\n  File "{file}", line {line}, in main\n    {code}\n'
    return f"Traceback (most recent call last):\n{frames}{error}\n"


PREPARE = "+ python prepare.py\n" + raised("/job/prepare.py", 12, "x = row['label']", "KeyError: 'label'")
TRAIN = "+ python train.py --data data\nLoading data from data\n" + steps(1, 2)
OOM = raised(
    "/job/train.py",
    88,
    "loss.backward()",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 23.69 GiB total capacity; "
    "20.31 GiB already allocated; 1.06 GiB free; 21.50 GiB reserved in total by PyTorch)",
)
EVALUATE = "+ python evaluate.py\n"
MISSING = raised(
    "/job/evaluate.py",
    31,
    "state = torch.load('ckpt/best.pt')",
    "FileNotFoundError: [Errno 2] No such file or directory: 'ckpt/best.pt'",
)
DONE = "Training completed!\n"


def report_of(log: str) -> Report:
    return explain_text(log.encode(), load_catalog(), name="job.log")


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (TRAIN + OOM + EVALUATE + MISSING, "gpu-memory.capacity"),
        (TRAIN + DONE + EVALUATE + MISSING, "storage.file-missing"),
        (PREPARE + TRAIN + OOM, "gpu-memory.capacity"),
        (TRAIN + OOM + EVALUATE + "Accuracy: 0.7312\n", "gpu-memory.capacity"),
    ],
    ids=["train fails, so does what follows", "evaluation fails", "both fail", "train fails, evaluation goes on"],
)
def test_what_ended_it_is_explained(log: str, cause: str) -> None:
    report = report_of(log)
    assert report.outcome == "failed"
    assert report.diagnoses[0].cause == cause


@pytest.mark.parametrize(
    ("log", "cause", "line"),
    [
        (PREPARE + TRAIN + DONE, "code.python-exception", 7),
        (TRAIN + DONE + TRAIN + OOM + TRAIN + DONE, "gpu-memory.capacity", 131),
    ],
    ids=["preparing", "one of three"],
)
def test_what_failed_before_a_good_end_is_told(log: str, cause: str, line: int) -> None:
    report = report_of(log)
    assert (report.outcome, report.diagnoses) == ("completed", ())
    (other,) = report.attempts
    assert (other.cause, other.what, other.culprits[0].line) == (cause, "failure", line)
    for form in ("text", "markdown", "html"):
        assert "but this failed earlier: " in render(report, form, Look(width=400))
    assert f"(line {line})" in render(report, "text", Look(width=400))
    assert "harmless" not in render(report, "text", Look(width=400))


def test_what_failed_in_the_same_way_before_is_told_once() -> None:
    report = report_of(PREPARE + TRAIN + PREPARE + TRAIN + DONE)
    assert [one.title for one in report.attempts] == ["KeyError: 'label'"]


def test_what_failed_before_another_failure_is_told() -> None:
    shown = render(report_of(PREPARE + TRAIN + OOM), "text", Look(width=400))
    assert "Earlier  this also failed, but the run continued: KeyError: 'label' (line 7)" in shown


def test_what_only_noticed_a_failure_is_not_told() -> None:
    lost = raised("/job/x.py", 3, "dist.barrier()", "torch.distributed.DistBackendError: Connection closed by peer")
    report = report_of(TRAIN + lost + TRAIN + DONE)
    assert report.outcome == "completed"
    assert not report.attempts


def test_what_processes_say_while_they_leave_after_a_good_end_is_no_failure() -> None:
    warned = "[5] proxy.cc:1497 NCCL WARN [Service thread] Could not receive type from localRank 3, res=3, closed=0\n"
    assert report_of(TRAIN + DONE + "".join(f"n1:1:{pid} {warned}" for pid in range(20, 28))).outcome == "completed"
    assert report_of(TRAIN + "".join(f"n1:1:{pid} {warned}" for pid in range(20, 28))).outcome == "failed"


def test_a_wait_that_ran_out_after_a_good_end_is_a_failure() -> None:
    wait = "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=90, OpType=ALLREDUCE, Timeout(ms)=1800000)"
    report = report_of(TRAIN + DONE + wait + " ran for 1800090 milliseconds before timing out.\n")
    assert (report.outcome, report.diagnoses[0].cause) == ("failed", "distributed.collective-timeout")


REFUSED = "usage: prepare.py [-h] --data DATA\nprepare.py: error: the following arguments are required: --data\n"


@pytest.mark.parametrize(
    ("log", "cause", "others"),
    [
        (REFUSED + MISSING, "code.config", ["storage.file-missing"]),
        (raised("/job/train.py", 9, "import frob", "ModuleNotFoundError: No module named 'frob'") + MISSING,
         "env.package-missing", ["storage.file-missing"]),
        (MISSING + MISSING, "storage.file-missing", []),
        (MISSING.replace("/job/evaluate.py", "/env/bin/frob") + OOM, "gpu-memory.capacity", []),
        (OOM + raised("/job/start.py", 9, "run(cmd, check=True)", "subprocess.CalledProcessError: Command "
         "'['python', 'train.py']' returned non-zero exit status 1."), "gpu-memory.capacity", []),
    ],
    ids=["refused", "raised", "one program", "an installed command", "the one that called it"],
)  # fmt: skip
def test_other_programs_of_a_script_are_told(log: str, cause: str, others: list[str]) -> None:
    report = report_of(log)
    assert report.diagnoses[0].cause == cause
    assert [(one.cause, one.what) for one in report.attempts] == [(one, "program") for one in others]


def test_several_programs_are_told_in_one_sentence() -> None:
    last = raised("/job/plot.py", 3, "import frob", "ModuleNotFoundError: No module named 'frob'")
    shown = render(report_of(REFUSED + MISSING), "text", Look(width=400))
    assert "Also  another program in this log also failed: ckpt/best.pt doesn't exist (line 8)" in shown
    shown = render(report_of(REFUSED + MISSING + last), "text", Look(width=400))
    assert "Also  2 other programs in this log also failed: " in shown


SERVING = "Running on local URL:  http://127.0.0.1:7860\n"


@pytest.mark.parametrize(
    ("behind", "cause", "sure"),
    [
        (SERVING, "env.package-missing", False),
        ("", "env.package-missing", True),
        (SERVING + OOM, "gpu-memory.capacity", True),
    ],
)
def test_a_package_that_a_server_came_up_without(behind: str, cause: str, sure: bool) -> None:
    report = report_of(
        raised("/job/extension.py", 3, "import frob", "ModuleNotFoundError: No module named 'frob'") + behind
    )
    assert report.diagnoses[0].cause == cause
    assert (report.diagnoses[0].confidence > 0.9) == sure


def test_failures_without_a_traceback_are_of_no_program(write_catalog: Write) -> None:
    log = b"memory full: asked 2 GiB of 8 GiB, free 1 GiB\nlost the device 1\n"
    assert explain_text(log, write_catalog(FILES)).attempts == ()
