"""What a wrapper puts in front of every line of a program changes none of its entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.records.records import records
from tests.shapes import SHAPES

FAILING = Path(__file__).parents[1] / "failing"
WRAPPERS = (
    *("gcloud", "Vertex, blanks", "ts", "clock", "foreman", "logging", "loguru", "Airflow", "Airflow 2.0", "GitLab"),
    *("Jenkins, its clock", "indented by a tab"),
)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("log", ["huggingface--dataset_columns", "torch--segfault"])
def test_a_chain_of_exceptions_is_one_entry_behind_any_prefix(wrapper: str, log: str) -> None:
    lines = (FAILING / f"{log}.log").read_text(encoding="utf-8").splitlines()
    plain, wrapped = (
        [record for record in records(text.encode(), source="log") if record.raised]
        for text in ("\n".join(lines), SHAPES[wrapper](lines))
    )
    assert [record.raised for record in wrapped] == [record.raised for record in plain]
    assert [record.lines for record in wrapped] == [record.lines for record in plain]
