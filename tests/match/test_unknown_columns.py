"""A column that no rule knows is found by the lines around a hit, also where they are many."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text

LOG = Path(__file__).parents[1] / "failing" / "torch--gloo_timeout.log"


@pytest.mark.parametrize("column", ["[train : run-training] ", "INFO: luigi-interface:", "train\tUNKNOWN STEP\t"])
def test_the_cause_stays(column: str, built_in_catalog: Catalog) -> None:
    lines = LOG.read_text(encoding="utf-8").splitlines()
    plain = explain_text("".join(f"{line}\n" for line in lines).encode(), built_in_catalog)
    found = explain_text("".join(f"{column}{line}\n" for line in lines).encode(), built_in_catalog)
    assert found.diagnoses[0].cause == plain.diagnoses[0].cause
