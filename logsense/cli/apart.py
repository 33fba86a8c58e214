"""The answer where the logs that were given turn out to be of several jobs."""

from __future__ import annotations

import os
import sys

from logsense.cli.conclude import STATUS_FAILURE_FOUND, conclude
from logsense.cli.output import look_of, note, write
from logsense.render.survey.formats import render_survey
from logsense.survey.row import row_of, storable
from logsense.survey.tables import survey_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.survey.apart import JobLogs


def conclude_apart(jobs: Sequence[JobLogs], settings: Settings, catalog: Catalog) -> int:
    """Writes a survey's table of `jobs`, or, in a format that holds one answer, that for the first that failed."""
    count = sum(len(job.sources) for job in jobs)
    said = f"{count} logs of what look like {len(jobs)} jobs"
    if settings.format != "text":
        told = next((job for job in jobs if job.report.outcome == "failed"), jobs[0])
        note(f"{said}; this is the answer for {told.name}, and logsense survey has all", settings)
        return conclude(told.report, settings, sys.stdout, told.sources)
    rows = [storable(row_of(_name(job), job.report, [source.name for source in job.sources], None)) for job in jobs]
    survey = survey_of(rows, catalog.causes)
    if settings.redact:
        from logsense.share.bundle import redacted_survey

        survey = redacted_survey(survey, catalog)
    table = render_survey(survey, "text", look_of(sys.stdout, settings))
    assert isinstance(table, str)
    write(f"{said}; name those of one job to have it explained\n\n{table}", sys.stdout, settings)
    for source in (source for job in jobs for source in job.sources if source.note):
        note(f"{source.name}: {source.note}", settings)
    failed = any(job.report.outcome == "failed" for job in jobs)
    return STATUS_FAILURE_FOUND if settings.exit_code and failed else 0


def _name(job: JobLogs) -> str:
    """The name of the job as a survey has it: with its whole path, where it has one."""
    is_here = all(os.path.exists(source.name) for source in job.sources)
    return os.path.abspath(job.name) if is_here else job.name
