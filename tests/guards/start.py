"""Counts the cost of starting `logsense`: imported modules, opened files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.guards.inputs import PASTE

ROOT = Path(__file__).parents[2]
COUNTING = """
import json, sys
before, opened = len(sys.modules), []
sys.addaudithook(lambda event, given: opened.append(given[0]) if event == "open" else None)
from logsense.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
sys.stderr.write(json.dumps([len(sys.modules) - before, len(opened)]))
sys.stderr.flush()
"""


def start(*arguments: str, cache: str) -> tuple[int, int]:
    """Return how many modules a run imports beyond those of Python's own start, and how many files it opens for
    imports.

    Compiled modules and the catalog are cached in the folder `cache`; only a run with a warm cache counts.
    """
    given = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    given |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": cache, "PYTHONPYCACHEPREFIX": os.path.join(cache, "compiled")}
    for _ in range(3):  # the second stores what the first one compiled
        done = subprocess.run(
            [sys.executable, "-c", COUNTING, *arguments], env=given, capture_output=True, text=True, check=True
        )
    modules, opened = json.loads(done.stderr)
    return modules, opened


def all_starts(cache: str) -> dict[str, float]:
    """Return all counts of starts."""
    found: dict[str, float] = {}
    for name, arguments in (("paste", ["explain", PASTE]), ("--version", ["--version"])):
        found[f"modules of {name}"], found[f"files opened by {name}"] = start(*arguments, cache=cache)
    return found
