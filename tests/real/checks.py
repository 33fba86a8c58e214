"""Ask logsense about what a real program left, and count which answers are right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import logsense

CHECKOUT = Path(__file__).parents[2]
ROOT = Path(os.environ.get("LOGSENSE_REAL", "/tmp/logsense-real"))  # as in the scripts
LOGSENSE = (sys.executable, "-m", "logsense")


class Checks:
    """Answers that were compared with what was made to happen."""

    def __init__(self) -> None:
        self.passed = 0
        self.wrong: list[str] = []

    def check(self, name: str, holds: bool, said: str = "") -> None:
        """Count one answer; print it at once."""
        self.passed += holds
        if not holds:
            self.wrong.append(name)
        print(f"{'ok  ' if holds else 'FAIL'} {name}{'' if holds else f': {said}'}", flush=True)

    def report(self, name: str, report: dict[str, Any], causes: Iterable[str], rank: int | None = None) -> None:
        """Count whether `report` names one of `causes` first, and the rank at fault. No causes: nothing failed."""
        causes = list(causes)
        found = [one["cause"] for one in report["diagnoses"] if not one["cause"].startswith("benign.")]
        said = ", ".join(f"{one['cause']} {one['confidence']:.2f}" for one in report["diagnoses"][:3])
        said = f"{report['outcome']}: {said or 'nothing'}"
        if not causes:
            self.check(name, not found and report["outcome"] != "failed", said)
            return
        self.check(name, bool(found) and found[0] in causes, f"{said}; expected {' or '.join(causes)}")
        if rank is not None:
            ranks = [one["rank"] for one in report["culprits"]]
            self.check(f"{name}, rank", ranks == [rank], f"rank {ranks}, expected {rank}")

    def end(self) -> int:
        """Print the count; return the exit status."""
        print(f"{self.passed} passed, {len(self.wrong)} failed")
        return int(bool(self.wrong))


def explain(*logs: Path | bytes) -> dict[str, Any]:
    """Return the report on logs or folders, or on a text."""
    what = logs[0] if isinstance(logs[0], bytes) else [path for path in logs if isinstance(path, Path)]
    return json.loads(logsense.explain(what).write("json"))  # type: ignore[no-any-return]


def asked(arguments: tuple[str, ...], **settings: Any) -> dict[str, Any]:
    """Return the JSON that a command of logsense prints."""
    done = subprocess.run([*LOGSENSE, *arguments], capture_output=True, text=True, check=False, timeout=300, **settings)
    try:
        return json.loads(done.stdout)  # type: ignore[no-any-return]
    except ValueError:
        raise RuntimeError(
            f"{arguments}: status {done.returncode}, {done.stdout[:300]!r} {done.stderr[-500:]!r}"
        ) from None


def read(report: Path) -> dict[str, Any]:
    """Return a report that `-o` wrote."""
    return json.loads(report.read_text())  # type: ignore[no-any-return]
