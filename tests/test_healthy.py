"""Logs of runs that went well, and other texts that only look alarming: nothing is diagnosed."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text

LOGS = sorted(Path(__file__).with_name("healthy").glob("*.log"))


@pytest.mark.parametrize("path", LOGS, ids=lambda log: log.stem)
def test_nothing_is_diagnosed(path: Path, built_in_catalog: Catalog) -> None:
    report = explain_text(path.read_bytes(), built_in_catalog, name=path.name)
    found = [
        (d.cause, d.evidence[0].text if d.evidence else "")
        for d in report.diagnoses
        if not d.cause.startswith("benign.")
    ]
    assert not found
    assert report.outcome != "failed"
