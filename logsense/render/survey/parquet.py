"""Render a survey's jobs as a Parquet file with typed columns, through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from typing import Any, get_args, get_type_hints

from logsense.model.survey import SCHEMA, JobRow, Survey

_KINDS = {int: "int64", float: "float64", str: "string"}


def survey_parquet(survey: Survey) -> bytes:
    """Return the jobs of `survey`, one per row, with the field names of the JSON. `failed_at` has no time zone.

    Raise ImportError if pyarrow is not installed.
    """
    arrow: Any = import_module("pyarrow")
    hints = get_type_hints(JobRow)
    kinds = {name: getattr(arrow, _KINDS[(get_args(hints[name]) or (hints[name],))[0]])() for name in JobRow._fields}
    columns = {name: arrow.array([getattr(row, name) for row in survey.rows], kinds[name]) for name in JobRow._fields}
    columns["failed_at"] = columns["failed_at"].cast(arrow.timestamp("s")).cast(arrow.timestamp("ms"))
    return _as_bytes(arrow.table(columns).replace_schema_metadata({"schema": SCHEMA}))


def answer_parquet(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return the result of an SQL query; a column of mixed types becomes text. Raise ImportError without pyarrow."""
    arrow: Any = import_module("pyarrow")
    arrays = []
    for number in range(len(columns)):
        values = [row[number] for row in rows]
        try:
            arrays.append(arrow.array(values))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError):
            arrays.append(arrow.array([None if value is None else str(value) for value in values]))
    return _as_bytes(arrow.Table.from_arrays(arrays, names=[_unique(columns, at) for at in range(len(columns))]))


def _unique(names: Sequence[str], at: int) -> str:
    """Return the name of column `at`, numbered if an earlier column has it too."""
    before = list(names[:at]).count(names[at])
    return f"{names[at]}_{before + 1}" if before else names[at]


def _as_bytes(table: Any) -> bytes:
    parquet: Any = import_module("pyarrow.parquet")
    out = BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()
