"""What Python can only report is explained too: finalizers, forgotten tasks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MISSING = "ModuleNotFoundError(\"No module named 'flash_attn'\")"


def _program(text: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    command = [sys.executable, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environ)


TASKS = f"""
import asyncio
async def bad(): raise {MISSING}
async def main():
    for _ in range(5): asyncio.create_task(bad())
    await asyncio.sleep(0.1)
    import gc; gc.collect()
asyncio.run(main())
"""
FINALIZER = f"""
class Loader:
    def __del__(self): raise {MISSING}
for _ in range(5): Loader()
"""


@pytest.mark.parametrize("program", [TASKS, FINALIZER], ids=["tasks", "finalizer"])
def test_a_few_unraisable_exceptions_are_explained(program: str) -> None:
    plain = _program(program)
    done = _program(f"import logsense; logsense.install(){program}")
    assert done.returncode == 0
    assert done.stderr.count("Traceback") == plain.stderr.count("Traceback") == 5
    assert done.stderr.count("✗ The Python package flash_attn is not installed") == 3
    first = done.stderr.partition("✗")[0]
    assert first.rstrip().endswith("No module named 'flash_attn'")


def test_configured_logging_gets_tasks_once() -> None:
    done = _program(f"import logging, logsense; logging.basicConfig(); logsense.install(){TASKS}")
    assert done.stderr.count("Task exception was never retrieved") == 5


def test_all_is_undone() -> None:
    done = _program(f"import logsense; logsense.install(live=True); logsense.uninstall(){TASKS}{FINALIZER}")
    assert "✗" not in done.stderr
    assert done.stderr.count("Traceback") == 10


def test_an_exception_that_was_explained_is_not_explained_again() -> None:
    done = _program(f"""
import logging, logsense
logsense.install()
logging.getLogger().addHandler(logsense.LogHandler())
with logsense.watching():
    try:
        raise {MISSING}
    except ImportError as error:
        logging.exception("no start")
        raise RuntimeError("can't start") from error
""")
    assert done.returncode == 1
    assert done.stderr.count("✗") == 1
