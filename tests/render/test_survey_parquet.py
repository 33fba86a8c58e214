"""A survey as Parquet, read back by pyarrow."""

from __future__ import annotations

import io
from datetime import datetime
from importlib import import_module
from typing import Any

import pytest

from logsense.model.survey import JobRow
from logsense.render.layout import Look
from logsense.render.survey.formats import render_answer, render_survey
from logsense.survey.tables import survey_of

arrow: Any = pytest.importorskip("pyarrow")
parquet: Any = import_module("pyarrow.parquet")


def table(written: str | bytes) -> Any:
    assert isinstance(written, bytes)
    return parquet.read_table(io.BytesIO(written))


def test_rows_keep_their_kinds() -> None:
    rows = [
        JobRow("/l/ä.log", "failed", "storage.disk-full", "Disk", 0.98, 3, failed_at="2026-01-05T10:00:00", lost_s=1.5),
        JobRow("/l/b.log", "completed"),
    ]
    found = table(render_survey(survey_of(rows, {}), "parquet", Look()))
    assert found.column_names == list(JobRow._fields)
    assert str(found.schema.field("rank").type) == "int64"
    assert found.schema.metadata[b"schema"] == b"logsense.survey/1"
    first, second = found.to_pylist()
    assert first["failed_at"] == datetime(2026, 1, 5, 10)  # noqa: DTZ001 - as printed
    assert {**first, "failed_at": rows[0].failed_at} == rows[0]._asdict()
    assert second == rows[1]._asdict()
    assert table(render_survey(survey_of([], {}), "parquet", Look())).num_rows == 0


def test_answers() -> None:
    found = table(render_answer(["cause", "n", "odd", "n"], [("x", 1, 1, 2), (None, 2, "a", 3)], "parquet", Look()))
    assert found.column_names == ["cause", "n", "odd", "n_2"]
    assert found.column(1).to_pylist() == [1, 2]
    assert found.column(2).to_pylist() == ["1", "a"]
