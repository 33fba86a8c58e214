"""Jobs of several real ranks, one of which went wrong (tests/faults/jobs.py): the cause and the rank are found."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain
from logsense.sources.folder import logs_in

RANKS = Path(__file__).parent / "ranks"
JOBS = yaml.safe_load((RANKS / "jobs.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(JOBS))
def test_cause_and_rank(name: str) -> None:
    about = JOBS[name]
    report = explain(logs_in(str(RANKS / name)), load_catalog())
    assert report.diagnoses[0].cause in about["causes"]
    assert [one.rank for one in report.culprits] == [about["rank"]]
