"""What the first answer to a log says."""

from __future__ import annotations

from collections.abc import Iterable

from logsense.catalog.load import load_catalog
from logsense.model.report import Check, Diagnosis, Fix
from logsense.pipeline import explain_text


def first(log: str) -> Diagnosis:
    """Return the first diagnosis of `log`."""
    return explain_text(log.encode(), load_catalog()).diagnoses[0]


def assert_first_fix(log: str, fix: str, command: str) -> None:
    """Check what the first fix for `log` begins with, and what its command contains."""
    advice = first(log).fixes[0]
    assert advice.do.startswith(fix)
    assert command in (advice.run or "")


def assert_left_out(steps: Iterable[Fix | Check], unfit: tuple[str, ...]) -> None:
    """Check that none of the fixes and checks `steps` says one of `unfit`."""
    shown = " ".join(f"{step.do} {step.run}" for step in steps)
    assert not [words for words in unfit if words in shown]
