"""What fails beside the program's own course, in a thread or at the exit, does not fail a run that ended well."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.live import Ended
from logsense.model.report import Report
from logsense.pipeline import explain_text

STEPS = "Epoch 1/3: loss 0.5\nEpoch 2/3: loss 0.4\n"
RAISED = (
    'Traceback (most recent call last):\n  File "/job/threads.py", line 1016, in _bootstrap_inner\n    self.run()\n'
    '  File "/job/reader.py", line 44, in run\n    batch = row["image"]\nKeyError: \'image\'\n'
)
THREAD = f"Exception in thread Thread-3:\n{RAISED}"
TASK = f"Task exception was never retrieved\nfuture: <Task finished name='Task-4' coro=<push() done>>\n{RAISED}"
EXIT = f"Error in atexit._run_exitfuncs:\n{RAISED}"
DONE = "Training complete\n"


def told(log: str, catalog: Catalog, ended: Ended | None = None) -> Report:
    return explain_text(log.encode(), catalog, ended=ended)


@pytest.mark.parametrize(
    ("log", "outcome"),
    [
        (f"{STEPS}{THREAD}{DONE}", "completed"),
        (f"{STEPS}{THREAD}best accuracy 0.91\n{DONE}", "completed"),  # joined to the exception's words
        (f"{STEPS}{DONE}{THREAD}", "completed"),
        (f"{STEPS}{DONE}{EXIT}", "completed"),
        (f"{STEPS}{DONE}Exception ignored in atexit callback: <function leave at 0x7f15>\n{RAISED}", "completed"),
        (f"{STEPS}{THREAD}Model weights saved in out/model.safetensors\n", "running"),
        (f"{STEPS}{TASK}{DONE}", "completed"),
        (f"{STEPS}Unhandled exception in thread started by <function push at 0x7f15>\n{RAISED}{DONE}", "completed"),
        (f"{STEPS}{DONE}{TASK}", "completed"),
        (f"{STEPS}{TASK}", "failed"),
        (f"{STEPS}{THREAD}", "failed"),
        (f"{STEPS}{EXIT}", "failed"),
        (f"{STEPS}{THREAD}best accuracy 0.91\n", "failed"),
        (f"{STEPS}{DONE}{RAISED}", "failed"),
        (f"{STEPS}{THREAD}{RAISED}", "failed"),
        (f"{STEPS}{DONE}{THREAD}{RAISED}", "failed"),
    ],
)
def test_a_thread_that_failed_beside_a_run_that_ended_well(log: str, outcome: str, built_in_catalog: Catalog) -> None:
    report = told(log, built_in_catalog)
    assert report.outcome == outcome
    assert [one.cause for one in report.diagnoses[:1]] == (["code.python-exception"] if outcome == "failed" else [])
    assert outcome == "failed" or [one.title for one in report.attempts] == ["KeyError: 'image'"]


@pytest.mark.parametrize(
    ("log", "ended", "outcome"),
    [
        (f"{STEPS}{THREAD}", Ended(0), "completed"),
        (f"{STEPS}{THREAD}", Ended(1), "failed"),
        (f"{STEPS}{THREAD}", Ended(0, by_user=True), "failed"),
        (f"{STEPS}{RAISED}", Ended(0), "failed"),
        (f"{STEPS}{RAISED}{THREAD}", Ended(0), "failed"),
    ],
)
def test_a_status_of_0_says_that_the_thread_was_outlasted(
    log: str, ended: Ended, outcome: str, built_in_catalog: Catalog
) -> None:
    report = told(log, built_in_catalog, ended)
    assert (report.outcome, not report.diagnoses) == (outcome, outcome != "failed")
