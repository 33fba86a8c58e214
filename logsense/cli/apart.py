"""The answer where the logs that were given turn out to be of several jobs."""

from __future__ import annotations

import sys

from logsense.cli.conclude import STATUS_FAILURE_FOUND, conclude
from logsense.cli.output import look_of, note, write
from logsense.render.survey.formats import render_survey
from logsense.survey.apart import as_survey, count_of, told_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.survey.apart import JobLogs


def conclude_apart(jobs: Sequence[JobLogs], settings: Settings, catalog: Catalog) -> int:
    """Write a survey's table of `jobs` or, in a format that holds one answer, the one for the first that failed."""
    if settings.format != "text":
        told = only_told(jobs, settings)
        return conclude(told.report, settings, sys.stdout, told.sources)
    survey = as_survey(jobs, catalog)
    if settings.redact:
        from logsense.share.bundle import redacted_survey

        survey = redacted_survey(survey, catalog)
    table = render_survey(survey, "text", look_of(sys.stdout, settings))
    assert isinstance(table, str)
    write(f"{count_of(jobs)}; name those of one job to have it explained\n\n{table}", sys.stdout, settings)
    for source in (source for job in jobs for source in job.sources if source.note):
        note(f"{source.name}: {source.note}", settings)
    failed = any(job.report.outcome == "failed" for job in jobs)
    return STATUS_FAILURE_FOUND if settings.exit_code and failed else 0


def only_told(jobs: Sequence[JobLogs], settings: Settings) -> JobLogs:
    """The first of `jobs` that failed, with a note where there are others."""
    told = told_of(jobs)
    if len(jobs) > 1:
        note(f"{count_of(jobs)}; this is the answer for {told.name}, and logsense survey has all", settings)
    return told
