"""What is said of a kernel's end, from what it left behind."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from logsense.integrations.notebook.kernel_death import KernelDeath
from logsense.recorder import kernels

FRAMES = '  File "/usr/lib/python3/ctypes/__init__.py", line 624 in string_at\n  File "/tmp/ipykernel_7/41.py", line 3 in <module>\n'
BEFORE = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f0c (most recent call first):\n" + FRAMES
# From Python 3.14 on the thread has a name, and the stack of native code stands below.
SINCE = BEFORE.replace("7f0c (", "7f0c [python] (") + (
    "\nCurrent thread's C stack trace (most recent call first):\n"
    '  Binary file "/usr/bin/python3.14", at _Py_DumpStack+0x4a [0x499c1d]\n'
)


@pytest.mark.parametrize("fault", [BEFORE, SINCE])
def test_the_line_of_the_cell(tmp_path: Path, fault: str) -> None:
    cell = {"number": 4, "runs": True, "code": "import ctypes\nx = 2\nctypes.string_at(0)\n"}
    (tmp_path / kernels.CELL).write_text(json.dumps(cell))
    (tmp_path / kernels.FAULT).write_text(fault)
    run: Any = SimpleNamespace(
        path=str(tmp_path), ended=SimpleNamespace(signal=11, status=None), samples=[], at_s=0.0, after_s=1.0
    )
    assert KernelDeath(run).says.endswith("by signal 11 (SIGSEGV), while cell [4] ran, in line 3: ctypes.string_at(0)")
