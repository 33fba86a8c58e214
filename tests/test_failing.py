"""Failures that were made on purpose: what each program printed leads to what was wrong with it.

The programs stand in tests/faults, their output in tests/failing. See tests/faults/run.py on how it was made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.render.blocks import RankTable
from logsense.render.layout import Look
from logsense.render.text import render_text
from logsense.render.whole import brief_blocks

FOLDER = Path(__file__).with_name("failing")
CASES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "cases.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"].removesuffix(".log"))
def test_the_fault_is_found(case: dict[str, Any], built_in_catalog: Catalog) -> None:
    report = explain_text((FOLDER / case["file"]).read_bytes(), built_in_catalog, name=case["file"])
    assert report.diagnoses, f"nothing was diagnosed, expected {case['causes']}"
    first = report.diagnoses[0]
    assert first.cause in case["causes"]
    advice = " ".join(f"{fix.do} {fix.run or ''} {fix.why or ''}" for fix in first.fixes).lower()
    assert any(word.lower() in advice for word in case.get("advice", [""])), advice
    blocks = {type(block) for block in brief_blocks(report)}
    rows = sum(max(1, -(-len(line) // 80)) for line in render_text(report, Look(80)).splitlines())
    assert rows <= (22 if RankTable in blocks else 18)


def test_every_log_is_listed() -> None:
    assert {case["file"] for case in CASES} == {path.name for path in FOLDER.glob("*.log")}
