"""Write the answer if the logs turn out to belong to several jobs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from logsense.cli.conclude import STATUS_FAILURE_FOUND, conclude
from logsense.cli.options import Settings
from logsense.cli.output import look_of, note, write
from logsense.model.knowledge import Catalog
from logsense.render.survey.formats import render_survey
from logsense.survey.several_jobs import JobLogs, as_survey, count_of, job_to_explain


def conclude_apart(jobs: Sequence[JobLogs], settings: Settings, catalog: Catalog) -> int:
    """Write a table of `jobs` or, in a format for one report, that of the first failed one; return the exit status."""
    if settings.format != "text":
        selected = selected_job(jobs, settings)
        return conclude(selected.report, settings, sys.stdout, selected.sources)
    survey = as_survey(jobs, catalog)
    if settings.redact:
        from logsense.share.bundle import redacted_survey

        survey = redacted_survey(survey, catalog)
    table = render_survey(survey, "text", look_of(sys.stdout, settings))
    assert isinstance(table, str)
    write(f"{count_of(jobs)}; to explain one job, name its logs only\n\n{table}", sys.stdout, settings)
    for source in (source for job in jobs for source in job.sources if source.note):
        note(f"{source.name}: {source.note}", settings)
    failed = any(job.report.outcome == "failed" for job in jobs)
    return STATUS_FAILURE_FOUND if settings.exit_code and failed else 0


def selected_job(jobs: Sequence[JobLogs], settings: Settings) -> JobLogs:
    """Return the first of `jobs` that failed, with a note if there are others."""
    selected = job_to_explain(jobs)
    if len(jobs) > 1:
        note(f"{count_of(jobs)}; this explains {selected.name}, logsense survey lists all", settings)
    return selected
