"""Counts the processor's instructions per byte of a quiet log, with valgrind's callgrind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.guards.inputs import healthy

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
FEW_MIB, MANY_MIB = 4, 12
# The scanner only: the cost at the end of a log is counted in calls.
SCANNING = """
import sys
from logsense.catalog.load import load_catalog
from logsense.match.hyperscan_engine import HyperscanEngine
from logsense.match.scanner import Scanner
from logsense.records.records import records
catalog = load_catalog()
scanner = Scanner(catalog, HyperscanEngine(catalog.literals, catalog.cache_folder), records, "log", searchers=0)
with open(sys.argv[1], "rb") as file:
    data = file.read()
for _ in range(int(sys.argv[2])):
    scanner.feed(data)
"""


def instructions_a_byte(folder: Path) -> float:
    """Return the instructions per additional byte; writes a log to `folder`."""
    log = folder / "quiet.log"
    text = "".join(healthy(2_000)).encode()
    text = text * (MIB // len(text) + 1)
    log.write_bytes(text[: text.rindex(b"\n", 0, MIB) + 1])
    size = log.stat().st_size
    given = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    given |= {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    counts = []
    for mib in (1, FEW_MIB, MANY_MIB):  # the first warms caches
        command = [sys.executable, "-c", SCANNING, str(log), str(mib)]
        if mib > 1:
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
        counts += [int(found[1]) for found in re.finditer(r"Collected : (\d+)", done.stderr)]
    return (counts[1] - counts[0]) / (size * (MANY_MIB - FEW_MIB))
