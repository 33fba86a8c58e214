"""Render a survey in any format. Those for programs are written here: JSON, CSV without formula injection, Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from io import BytesIO, StringIO
from typing import Any, get_args, get_type_hints

from logsense.model.survey import SCHEMA, JobRow, Survey
from logsense.render.clean import one_line
from logsense.render.json import plain
from logsense.render.layout import Look
from logsense.render.survey.html import survey_html
from logsense.render.survey.text import answer_text, survey_text


def render_survey(survey: Survey, format: str, look: Look) -> str | bytes:
    """Return `survey` as `format`: text, json, csv, html or parquet (as bytes). `look` applies to text.

    Raise ImportError if pyarrow, which writes Parquet, is not installed.
    """
    writers: dict[str, Callable[[Survey], str | bytes]]
    writers = {"json": survey_json, "csv": survey_csv, "html": survey_html, "parquet": survey_parquet}
    return writers[format](survey) if format in writers else survey_text(survey, look)


def render_answer(columns: Sequence[str], rows: Sequence[Sequence[object]], format: str, look: Look) -> str | bytes:
    """Return the result of an SQL query as `format`: text, json, csv or parquet (as bytes). Raise ImportError too."""
    writers: dict[str, Callable[[Sequence[str], Sequence[Sequence[object]]], str | bytes]]
    writers = {"json": answer_json, "csv": table_csv, "parquet": answer_parquet}
    return writers[format](columns, rows) if format in writers else answer_text(columns, rows, look)


# Excel, LibreOffice and Google Sheets read a cell that starts with one of these as a formula:
# https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_KINDS = {int: "int64", float: "float64", str: "string"}


def survey_json(survey: Survey) -> str:
    """Return `survey`, the jobs and their totals, as one JSON object in ASCII."""
    data = {
        "schema": SCHEMA,
        "jobs": [row._asdict() for row in survey.rows],
        "causes": [one._asdict() for one in survey.causes],
        "offenders": [{**one._asdict(), "causes": dict(one.causes)} for one in survey.offenders],
        "weeks": [{**one._asdict(), "causes": dict(one.causes)} for one in survey.weeks],
        "gpu_hours_lost": survey.gpu_hours_lost,
        "gpu_hours_from": survey.gpu_hours_from,
    }
    return json.dumps(plain(data), indent=1) + "\n"


def survey_csv(survey: Survey) -> str:
    """Return the jobs of `survey`, one per line, with the field names of the JSON. Unknown values are empty."""
    return table_csv(JobRow._fields, survey.rows)


def answer_json(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as a JSON list of objects."""
    return json.dumps(plain([dict(zip(columns, row, strict=True)) for row in rows]), indent=1) + "\n"


def table_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with a header. A text that spreadsheets would read as a formula gets a leading `'`."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(cell, columns))
    writer.writerows(map(cell, row) for row in rows)
    return out.getvalue()


def cell(value: object) -> object:
    """Return `value` as a CSV cell: numbers unchanged, text on one line and never a formula."""
    if value is None or isinstance(value, (int, float)):
        return value
    text = str(value)
    shown = one_line(text)
    return f"'{shown}" if shown.startswith(_FORMULA) or text.startswith(_FORMULA) else shown


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
