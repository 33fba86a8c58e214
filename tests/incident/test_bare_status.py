"""An exit status without a message is reported as what it is: who reports it, and that the log doesn't say why."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.render.words import WITHOUT_REASON, headline_in_words, unknown_in_words

STEPS = "epoch 1 loss 0.5\nepoch 2 loss 0.4\n"
REPORTED = {
    "Slurm reports exit status 1; the log doesn't say why": (
        "JobId=4711 JobName=train\n   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A\n"
        "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n   Requeue=1 Restarts=0 ExitCode=1:0\n"
    ),
    "wandb reports exit status 1; the log doesn't say why": STEPS + "wandb: ERROR Run exited with code 1\n",
    "make reports exit status 1; the log doesn't say why": "make: *** [Makefile:12: train] Error 1\n",
    "Tasks 0-7 exited with status 1 without an error message": (
        STEPS + "srun: error: gpu01: tasks 0-7: Exited with exit code 1\n"
    ),
    "The program exited with status 1 without an error message": STEPS + "exit code 1\n",
    WITHOUT_REASON: STEPS + "[launcher] training of job 7 died with status 3 at 12:00\n",
}
EXPLAINED = {
    "a traceback": "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    main()\nKeyError: 'lr'\n",
    "an unknown line that looks like an error": "error: the flux capacitor lost its phase\n",
}


@pytest.mark.parametrize("headline", REPORTED)
def test_status_alone(built_in_catalog: Catalog, headline: str) -> None:
    report = explain_text(REPORTED[headline].encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert (headline_in_words(report) if report.diagnoses else unknown_in_words(report)) == headline


@pytest.mark.parametrize("line", ["ERROR: command terminated with exit code 2", "error: script exited with status 3"])
def test_status_that_no_message_describes(built_in_catalog: Catalog, line: str) -> None:
    report = explain_text(f"{STEPS}{line}\n".encode(), built_in_catalog)
    assert not report.diagnoses
    assert unknown_in_words(report) == WITHOUT_REASON


@pytest.mark.parametrize("log", EXPLAINED.values(), ids=EXPLAINED)
@pytest.mark.parametrize("status", ["wandb: ERROR Run exited with code 1\n", "job died with status 3 at 12:00\n"])
def test_status_after_a_reason(built_in_catalog: Catalog, log: str, status: str) -> None:
    report = explain_text((STEPS + log + status).encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert "doesn't say why" not in (headline_in_words(report) if report.diagnoses else unknown_in_words(report))


def test_good_status(built_in_catalog: Catalog) -> None:
    log = "JobId=4711\n   JobState=COMPLETED Reason=None Dependency=(null)\n   Requeue=1 Restarts=0 ExitCode=0:0\n"
    assert not explain_text(log.encode(), built_in_catalog).diagnoses
