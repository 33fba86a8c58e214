"""A training loop that is watched, in this process and in programs of its own."""

from __future__ import annotations

import logging
import math
import os
import pickle
import subprocess
import sys
import threading
import time

import pytest

import logsense
from logsense.callbacks import Alert, Monitor
from logsense.recorder import monitor_notes


def _program(text: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=False, env=environ
    )


def test_a_nan_loss_is_logged_and_passed_to_tell(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Alert] = []
    with Monitor(tell=heard.append, explain=False) as monitor:
        for step in range(10):
            monitor.step(math.nan if step > 5 else 1.0, step=step)
    assert [one.kind for one in heard] == ["loss"]
    assert monitor.alerts == heard
    [record] = caplog.records
    assert (record.name, record.levelno) == ("logsense", logging.WARNING)
    assert "The loss is NaN at step 6" in record.getMessage()


def test_ranks_say_who_they_are(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    with Monitor(explain=False) as monitor:
        monitor.step(math.inf)
    assert caplog.records[0].getMessage().startswith("rank 3: The loss is infinite at step 1.")


@pytest.mark.slow
def test_a_stall_is_reported_with_the_place() -> None:
    heard: list[Alert] = []
    came = threading.Event()

    def hear(told: Alert) -> None:
        heard.append(told)
        came.set()

    with Monitor(stall_after_s=0.5, tell=hear, explain=False) as monitor:
        monitor.step(1.0, step=41)
        _wait_in_here(came)
        assert [one.kind for one in heard] == ["stall"]
        monitor.step(1.0, step=42)
    assert "since step 41" in heard[0].says
    assert "_wait_in_here (test_monitor.py:" in heard[0].says


def _wait_in_here(came: threading.Event) -> None:
    assert came.wait(20)


def test_evaluations_are_not_a_stall() -> None:
    with Monitor(stall_after_s=2, explain=False) as monitor:
        monitor.step(1.0)
        for _ in range(12):
            time.sleep(0.2)
            monitor.alive()
    assert monitor.alerts == []


def test_a_listener_that_fails_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(told: Alert) -> None:
        raise ValueError(told.kind)

    with Monitor(tell=fail, explain=False) as monitor:
        monitor.step(math.nan)
        monitor.step(1.0)
    assert monitor.last_step == 2
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]


def test_a_closed_monitor_can_start_again() -> None:
    before = threading.active_count()
    monitor = Monitor(explain=False)
    for _ in range(2):
        monitor.step(math.nan, step=7)
        assert (monitor.last_step, len(monitor.alerts)) == (7, 1)
        monitor.close()
        monitor.close()
        assert threading.active_count() == before


def test_it_goes_to_other_processes() -> None:
    monitor = Monitor(stall_after_s=9.0, explain=False)
    monitor.step(1.0)
    copy = pickle.loads(pickle.dumps(monitor))
    monitor.close()
    assert isinstance(copy, Monitor)
    assert copy.last_step is None
    assert copy._stall_after_s == 9.0


def test_what_it_saw_explains_an_exception_that_left_the_loop() -> None:
    caught: Exception | None = None
    try:
        with Monitor(explain=False) as monitor:
            for step in range(100, 110):
                monitor.step(2.5, step=step)
            raise FileNotFoundError(2, "No such file or directory", "/data/shard-7.bin")
    except FileNotFoundError as error:
        caught = error
    assert caught is not None
    found = logsense.explain(caught)
    assert found.cause == "storage.file-missing"
    assert found.report.progress
    assert found.report.progress.step == 109
    assert found.report.machine
    # What is raised later was not seen by it.
    assert monitor_notes.notes_of(ValueError()) is None


def test_a_program_that_dies_is_explained_below_its_traceback_with_what_was_seen() -> None:
    done = _program(
        "from logsense.callbacks import Monitor\n"
        "monitor = Monitor()\n"
        "for step in range(300): monitor.step(3.0, step=step)\n"
        "import flash_attn_that_is_not_there"
    )
    assert done.returncode == 1
    trace, _, explained = done.stderr.partition("✗")
    assert trace.rstrip().endswith("No module named 'flash_attn_that_is_not_there'")
    assert "step 299" in explained


def test_warnings_are_shown_without_logging_configuration() -> None:
    done = _program("import logsense\nwith logsense.Monitor() as m: m.step(float('nan'), step=3)")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("The loss is NaN at step 3.")
    assert done.stderr.count("\n") == 1
