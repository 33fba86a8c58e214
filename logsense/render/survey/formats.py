"""Select the renderer of a survey by format."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.survey import Survey
from logsense.render.look import Look
from logsense.render.survey.data import answer_json, answer_parquet, survey_csv, survey_json, survey_parquet, table_csv
from logsense.render.survey.html import survey_html
from logsense.render.survey.text import answer_text, survey_text


def render_survey(survey: Survey, format: str, look: Look) -> str | bytes:
    """Return `survey` as `format`: text, json, csv, html or parquet (as bytes). `look` applies to text.

    Raise ImportError if pyarrow, which writes Parquet, is not installed.
    """
    if format == "json":
        return survey_json(survey)
    if format == "csv":
        return survey_csv(survey)
    if format == "html":
        return survey_html(survey)
    if format == "parquet":
        return survey_parquet(survey)

    return survey_text(survey, look)


def render_answer(columns: Sequence[str], rows: Sequence[Sequence[object]], format: str, look: Look) -> str | bytes:
    """Return the result of an SQL query as `format`: text, json, csv or parquet (as bytes). Raise ImportError too."""
    if format == "json":
        return answer_json(columns, rows)
    if format == "csv":
        return table_csv(columns, rows)
    if format == "parquet":
        return answer_parquet(columns, rows)

    return answer_text(columns, rows, look)
