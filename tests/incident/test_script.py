"""A step of a script fails, and its shell goes on: what follows decides whether the run failed."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text

KILLED = "job.sh: line 7:  4711 Killed                  python cache.py\n"
STEPS = "".join(f"epoch {number}/9 loss {2 / number:.3f}\n" for number in range(1, 10))
COPIED = "".join(f"copied part-{number}.bin\n" for number in range(9))


def report_on(log: str, catalog: Catalog) -> Report:
    return explain_text(log.encode(), catalog)


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("building the cache\n" + KILLED + "job over\n", "host-memory."),
        (STEPS[:120] + KILLED + COPIED + "12 GB in all\nDone.\n", "host-memory."),
        (
            "building the cache\n" + KILLED + "cp: cannot stat 'cache.bin': No such file or directory\nDone.\n",
            "host-memory.",
        ),
        ("begin\njob.sh: line 3: python: command not found\nFinished\n", "env."),
        ("begin\njob.sh: line 3: torchrun: command not found\nlooking for out/\nFinished on n4\n", "env."),
    ],
)
def test_a_script_that_did_nothing_else_failed(log: str, cause: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome == "failed"
    assert report.diagnoses[0].cause.startswith(cause)


@pytest.mark.parametrize(
    "log",
    [
        "building the cache\n" + KILLED + "no cache, reading the rows\n" + STEPS + "Training finished\n",
        "job.sh: line 3: module: command not found\n" + STEPS + "Finished\n",
        STEPS + "model saved to out/m.pt\njob.sh: line 9: nvidia-smi: command not found\nFinished\n",
        "job.sh: line 3: module: command not found\n" + COPIED + "Finished\n",
    ],
)
def test_a_script_that_worked_without_the_step_did_not(log: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome != "failed"
    assert not report.diagnoses


GIT = "fatal: Authentication failed for 'https://git.example/lab/net.git/'\n"
RAISED = 'Traceback (most recent call last):\n  File "/srv/fit.py", line 4, in <module>\n    {code}\n{error}\n'
MISSING = RAISED.format(
    code='os.listdir("rows")', error="FileNotFoundError: [Errno 2] No such file or directory: 'rows'"
)
CLONE = RAISED.format(
    code="clone()", error="subprocess.CalledProcessError: Command 'git clone' returned exit status 128."
)
CONDA = "\nCommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.\n"
LIMIT = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2024-01-27T03:29:05 DUE TO TIME LIMIT ***\n"


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (GIT + COPIED + MISSING, "storage.file-missing"),
        ("loading the rows\n" + GIT + CLONE, "network.auth"),
        (COPIED + GIT, "network.auth"),
        (GIT + "cleaning up\ncleaned\ngiving up\nexit 1\n", "network.auth"),
        (CONDA + LIMIT, "scheduler.time-limit"),
        (CONDA, "env.package-missing"),
    ],
)
def test_a_command_that_failed_before_others_worked_ended_nothing(
    log: str, cause: str, built_in_catalog: Catalog
) -> None:
    assert report_on(log, built_in_catalog).diagnoses[0].cause == cause
    assert not report_on(GIT + COPIED, built_in_catalog).diagnoses


def test_the_report_names_the_program_that_was_killed(built_in_catalog: Catalog) -> None:
    report = report_on("building the cache\n" + KILLED + STEPS + "Training finished\n", built_in_catalog)
    assert report.outcome == "completed"
    assert report.attempts[-1].title == "job.sh: line 7: 4711 Killed python cache.py"
    assert not report.noise


def test_a_module_that_is_missing_stops_no_script(built_in_catalog: Catalog) -> None:
    missing = 'Lmod has detected the following error: The following module(s) are unknown:\n"cuda/12.9"\n'
    for log in (missing + "Starting\nscores: [0.75, 0.98]\nDONE\n", missing + COPIED):
        assert not report_on(log, built_in_catalog).diagnoses
    assert report_on(missing, built_in_catalog).diagnoses[0].cause.startswith("env.")


NO_ACTIVATE = "/var/spool/slurmd/job7/slurm_script: line 12: activate: No such file or directory\n"
WARNED = (
    "/opt/venv/lib/python3.10/site-packages/torch/nn/functional.py:3734: UserWarning: nn.functional.upsample is "
    'deprecated. Use nn.functional.interpolate instead.\n  warnings.warn("nn.functional.upsample is deprecated.")\n'
)
RAISED = 'Traceback (most recent call last):\n  File "fit.py", line 3, in <module>\n    import timm\n'


def test_python_runs_though_the_shell_complains(built_in_catalog: Catalog) -> None:
    report = report_on(NO_ACTIVATE + WARNED, built_in_catalog)
    assert (report.outcome != "failed", report.diagnoses) == (True, ())
    assert report_on(NO_ACTIVATE, built_in_catalog).outcome == "failed"
    failed = report_on(
        NO_ACTIVATE + WARNED + RAISED + "ModuleNotFoundError: No module named 'timm'\n", built_in_catalog
    )
    assert failed.diagnoses[0].cause == "env.package-missing"
