"""Measure how long it takes from the start of a process to its end, against a Python that does nothing."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

from logs import PASTE
from measure import best


def starts(repeat: int) -> dict[str, Any]:
    """Return the seconds of each start, the least of `repeat`."""
    command = shutil.which("logsense", path=os.path.dirname(sys.executable)) or "logsense"
    runs = best(
        {
            "python -c pass": [sys.executable, "-c", "pass"],
            "paste of 20 lines": [command, "explain", PASTE],
            "--version": [command, "--version"],
            "import logsense": [sys.executable, "-c", "import logsense"],
        },
        repeat,
    )
    return {name: run.seconds for name, run in runs.items()}
