"""A survey for data frames: its jobs as a Parquet file with typed columns, written by pyarrow."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import get_args, get_type_hints

from logsense.model.survey import SCHEMA, JobRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from logsense.model.survey import Survey

_KINDS = {int: "int64", float: "float64", str: "string"}


def survey_parquet(survey: Survey) -> bytes:
    """The jobs of `survey`, a row each, under the names that the JSON has too; `failed_at` is a time without a zone."""
    arrow: Any = import_module("pyarrow")
    hints = get_type_hints(JobRow)
    kinds = {name: getattr(arrow, _KINDS[(get_args(hints[name]) or (hints[name],))[0]])() for name in JobRow._fields}
    columns = {name: arrow.array([getattr(row, name) for row in survey.rows], kinds[name]) for name in JobRow._fields}
    columns["failed_at"] = columns["failed_at"].cast(arrow.timestamp("s")).cast(arrow.timestamp("ms"))
    return _written(arrow.table(columns).replace_schema_metadata({"schema": SCHEMA}))


def answer_parquet(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """The answer to a question in SQL; a column with values of several kinds is one of texts."""
    arrow: Any = import_module("pyarrow")
    arrays = []
    for number in range(len(columns)):
        values = [row[number] for row in rows]
        try:
            arrays.append(arrow.array(values))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError):
            arrays.append(arrow.array([None if value is None else str(value) for value in values]))
    return _written(arrow.Table.from_arrays(arrays, names=[_own(columns, at) for at in range(len(columns))]))


def _own(names: Sequence[str], at: int) -> str:
    """The name of a column; of several with one name, the later ones get a number."""
    before = list(names[:at]).count(names[at])
    return f"{names[at]}_{before + 1}" if before else names[at]


def _written(table: Any) -> bytes:
    parquet: Any = import_module("pyarrow.parquet")
    out = BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()
