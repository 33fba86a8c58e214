"""A failure that the program overcame is none; one like it that the program did not overcome is."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text

STEPS = "".join(f"iter {number}/900 objective {9 / (number + 3):.4f}\n" for number in range(30))
UPLOAD = (
    "ERROR: upload failed: ./w.pt to s3://lab/run7/w.pt Connection was closed before we received a valid response\n"
)
REFUSED = "ERROR request to https://api.lab.example/v1/chat failed: HTTP 429 Too Many Requests\n"
ROWS = "row 1 ok\nrow 2 skipped: ValueError: could not convert string to float: 'n/a'\nrow 3 ok\nrow 4 ok\n"
RAISED = 'Traceback (most recent call last):\n  File "/srv/fit.py", line 31, in <module>\n    main()\n{error}\n'
EMPTY = "ValueError: could not convert string to float: ''"
MISSING = "FileNotFoundError: [Errno 2] No such file or directory: 'rows/5.csv'"


def report_on(log: str, catalog: Catalog) -> Report:
    return explain_text(log.encode(), catalog)


@pytest.mark.parametrize(
    "log",
    [
        STEPS + UPLOAD + "upload: ./w.pt to s3://lab/run7/w.pt\n",
        REFUSED + "waiting 20 s\nPOST https://api.lab.example/v1/chat 200 OK\nanswer 1: yes\n",
        STEPS + "Failed to download part-3.tar: HTTP Error 503: Service Unavailable\ndownloaded part-3.tar\n",
        "could not convert 1.wav: RuntimeError: Error opening '1.wav': Format not recognised.\n"
        + "".join(f"converted {number}.wav\n" for number in range(2, 5)),
        STEPS + "watchdog: loader 3 stuck for 60 s, killing it\nloader 3 restarted\n" + STEPS + "Training finished\n",
    ],
)
def test_what_succeeds_later_did_not_fail(log: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome != "failed"
    assert not report.diagnoses


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (STEPS + UPLOAD + "uploading ./w.pt to s3://lab/run7/w.pt\n" + UPLOAD, "storage.object-store"),
        (STEPS + "upload: ./v.pt to s3://lab/run7/v.pt\n" + UPLOAD, "storage.object-store"),
        (
            STEPS + "ERROR torch.cuda.OutOfMemoryError: CUDA out of memory\ntorch.cuda.memory summary written\n",
            "gpu-memory.capacity",
        ),
        ("POST https://api.lab.example/v1/chat 200 OK\n" + REFUSED, "network.hub-unreachable"),
        (ROWS + RAISED.format(error=MISSING), "storage.file-missing"),
    ],
)
def test_what_does_not_failed(log: str, cause: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome == "failed"
    assert report.diagnoses[0].cause == cause


def test_an_item_that_was_skipped_is_no_proof_of_the_same_exception(built_in_catalog: Catalog) -> None:
    report = report_on(ROWS + RAISED.format(error=EMPTY), built_in_catalog)
    assert report.outcome == "failed"
    assert report.diagnoses[0].evidence[0].line == 8


@pytest.mark.parametrize(
    "signal", ["Received SIGTERM, exiting\n", "run.sh: line 8:  4242 Terminated   python fit.py\n"]
)
def test_a_program_that_is_ended_because_it_hangs_failed(signal: str, built_in_catalog: Catalog) -> None:
    hung = "monitor: no progress for 600 s, sending SIGTERM to 4242\n"
    report = report_on(STEPS + hung + signal, built_in_catalog)
    assert report.outcome == "failed"
    assert not report.diagnoses
    assert [one.text for one in report.unexplained] == [hung.strip()]
    asked = "wall time nearly reached, sending SIGTERM to 4242\n"
    assert report_on(STEPS + asked + "Received SIGTERM, exiting\n", built_in_catalog).outcome == "stopped"


def runs(*losses: float) -> str:
    return "".join(
        f"run {number}/{len(losses)} lr={10.0**-number}\n"
        + "".join(f"epoch {at} loss {loss / at}\n" for at in (1, 2, 3))
        for number, loss in enumerate(losses, 1)
    )


def test_a_trial_of_a_sweep_may_end_with_a_wrong_value(built_in_catalog: Catalog) -> None:
    nan = float("nan")
    report = report_on(runs(2.1, 2.0, nan) + "sweep finished, best lr=0.01\n", built_in_catalog)
    assert report.outcome == "completed"
    assert not report.diagnoses
    for log in (runs(nan, nan, nan), runs(nan)):
        report = report_on(log + "sweep finished\n", built_in_catalog)
        assert report.diagnoses[0].cause == "numerics.non-finite"
