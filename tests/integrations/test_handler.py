"""The handler for Python's logging."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

import logsense
from logsense.recorder import monitor_notes


class Heard(list[logsense.Explanation]):
    pass


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def log(heard: Heard) -> Iterator[logging.Logger]:
    monitor_notes.reported_causes.clear()
    logger = logging.Logger("trainer")
    handler = logsense.LogHandler(on_failure=heard.append, live=False)
    logger.addHandler(handler)
    yield logger
    handler.close()
    monitor_notes.reported_causes.clear()


def test_a_record_with_an_exception(log: logging.Logger, heard: Heard) -> None:
    log.info("step 10 loss 2.5")
    try:
        raise ModuleNotFoundError("No module named 'flash_attn'")
    except ImportError:
        log.exception("step 11 failed")
        log.exception("once more")
    assert [one.cause for one in heard] == ["env.package-missing"]


def test_a_critical_record_is_explained_with_what_was_logged_before(log: logging.Logger, heard: Heard) -> None:
    log.info("step 4120/10000 loss 2.5")
    log.error("RuntimeError: CUDA error: device-side assert triggered")
    log.critical("giving up")
    assert len(heard) == 1
    assert "device-side" in heard[0].write()
    assert heard[0].report.progress
    assert heard[0].report.progress.step == 4120


def test_errors_that_are_left_are_explained_at_the_end(log: logging.Logger, heard: Heard) -> None:
    log.error("FileNotFoundError: [Errno 2] No such file or directory: '/data/x.bin'")
    assert heard == []
    log.handlers[0].close()
    assert [one.cause for one in heard] == ["storage.file-missing"]


def test_crowds_are_not_explained_one_by_one(log: logging.Logger, heard: Heard) -> None:
    for number in range(200):
        error = FileNotFoundError(2, "No such file or directory", f"/data/{number}.bin")
        log.error("retrying", exc_info=error)
    assert len(heard) == 1


def test_not_a_failure(log: logging.Logger, heard: Heard) -> None:
    log.warning("step 3 is slow %d", 7)
    log.error("bad format %d", "x")
    log.info("Training completed.")
    log.handlers[0].close()
    assert heard == []


def test_at_the_end_of_a_program() -> None:
    program = (
        "import logging, logsense\n"
        "logging.basicConfig(); logging.getLogger().addHandler(logsense.LogHandler())\n"
        "logging.error(\"FileNotFoundError: [Errno 2] No such file or directory: '/data/x.bin'\")\n"
        "import sys; sys.exit(3)"
    )
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False, env=environ
    )
    assert done.returncode == 3
    assert done.stderr.count("✗ /data/x.bin doesn't exist") == 1
    assert "Traceback" not in done.stderr
