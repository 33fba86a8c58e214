"""Render a survey for programs: JSON (`logsense.survey/1`), and CSV without formula injection."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO

from logsense.model.survey import SCHEMA, JobRow, Survey
from logsense.render.clean import one_line
from logsense.render.json import plain

# Excel, LibreOffice and Google Sheets read a cell that starts with one of these as a formula:
# https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
