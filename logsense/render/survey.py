"""Picks the renderer of a survey's format; only the one that is asked for is imported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.model.survey import Survey
    from logsense.render.look import Look


def render_survey(survey: Survey, format: str, look: Look) -> str | bytes:
    """`survey` written as text, json, csv or html, with a newline at its end, or as a Parquet file.

    Raises ImportError where the library that writes Parquet is missing.
    """
    if format == "json":
        from logsense.render.survey_data import survey_json

        return survey_json(survey)
    if format == "csv":
        from logsense.render.survey_data import survey_csv

        return survey_csv(survey)
    if format == "html":
        from logsense.render.survey_html import survey_html

        return survey_html(survey)
    if format == "parquet":
        from logsense.render.survey_parquet import survey_parquet

        return survey_parquet(survey)
    from logsense.render.survey_text import survey_text

    return survey_text(survey, look)


def render_answer(columns: Sequence[str], rows: Sequence[Sequence[object]], format: str, look: Look) -> str | bytes:
    """The answer to a question in SQL written as text, json or csv, or as a Parquet file. Raises ImportError too."""
    if format == "json":
        from logsense.render.survey_data import answer_json

        return answer_json(columns, rows)
    if format == "csv":
        from logsense.render.survey_data import table_csv

        return table_csv(columns, rows)
    if format == "parquet":
        from logsense.render.survey_parquet import answer_parquet

        return answer_parquet(columns, rows)
    from logsense.render.survey_text import answer_text

    return answer_text(columns, rows, look)
