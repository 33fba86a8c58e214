"""Counts what the start of `logsense` costs: modules that are imported, files that are opened."""

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
    """How many modules a run imports over those of Python's own start, and how many files it opens, each after a first run.

    Files count that Python opens to import; compiled modules and the catalog are kept in the folder `cache`.
    """
    given = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    given |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": cache, "PYTHONPYCACHEPREFIX": os.path.join(cache, "compiled")}
    for _ in range(3):  # the second keeps what the first one compiled
        done = subprocess.run(
            [sys.executable, "-c", COUNTING, *arguments], env=given, capture_output=True, text=True, check=True
        )
    modules, opened = json.loads(done.stderr)
    return modules, opened


def all_starts(cache: str) -> dict[str, float]:
    """Everything that is counted of starts."""
    found: dict[str, float] = {}
    for name, arguments in (("paste", ["explain", PASTE]), ("--version", ["--version"])):
        found[f"modules of {name}"], found[f"files opened by {name}"] = start(*arguments, cache=cache)
    return found
