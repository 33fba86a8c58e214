"""Write a report where the user wants it, notify people of a failure, and return the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from logsense.catalog.load import keep_regexes, load_catalog
from logsense.cli.options import Settings
from logsense.cli.output import look_of, note, show, write
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.render.formats import render
from logsense.render.layout import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from logsense.survey.several_jobs import JobLogs

STATUS_FAILURE_FOUND = 1
# The sending process has its own, shorter limit; this one is for a process that hangs.
NOTIFY_S = 8.0
# With --exit-code=verdict. 75 is EX_TEMPFAIL ("try again later") of sysexits.h; 76 is the next number.
STATUS_BY_VERDICT = {"fix-first": STATUS_FAILURE_FOUND, "retry": 75, "other-node": 76}


def conclude(
    report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source] = (), details_command: str = ""
) -> int:
    """Write the report to `stream` or to the output file, notify if asked, and return the exit status.

    `sources` are the logs, for formats that quote more of them. `details_command` shows the whole report, if it does
    not follow from `settings`.
    """
    failed = report.outcome == "failed"
    try:
        if failed or not settings.quiet:
            _write(report, settings, stream, sources, details_command)
    finally:  # even if writing fails: then the notification matters most
        if failed and settings.notify:
            _notify(report, settings, sources)
    keep_regexes()
    return status_of(report, settings)


def _write(report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source], details_command: str) -> None:
    if settings.format == "prompt":
        from logsense.render.bundle import render_prompt
        from logsense.share.bundle import bundle_of, redacted_bundle

        write(render_prompt(redacted_bundle(bundle_of(report, sources), _catalog(settings))), stream, settings)
    else:
        look = look_of(stream, settings, details_command)
        if settings.redact:
            from logsense.share.bundle import redacted_with

            report, shown = redacted_with(report, look.details_command, _catalog(settings), sources)
            if shown != look.details_command:  # it names a log, which a mask can't
                look = look._replace(details_command="logsense -v FILE…", inputs="")
        show(render(report, settings.format, look), stream, settings)
    if settings.format == "github":
        _add_step_summary(report)


def status_of(report: Report, settings: Settings) -> int:
    """Return the exit status: 0, or with --exit-code 1 for a failure, or a status for the verdict on running again."""
    if not settings.exit_code or report.outcome != "failed":
        return 0
    if settings.exit_code == "verdict" and report.rerun:
        return STATUS_BY_VERDICT.get(report.rerun.verdict, STATUS_FAILURE_FOUND)
    return STATUS_FAILURE_FOUND


def _catalog(settings: Settings) -> Catalog:
    return load_catalog(settings.rules, settings.corpus, trusted=settings.trusted)


def _add_step_summary(report: Report) -> None:
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(render(report, "markdown", Look()))


def _notify(report: Report, settings: Settings, sources: Sequence[Source]) -> None:
    """Send a short, redacted message on the failed run in `report`. Print a line for each problem."""
    from subprocess import TimeoutExpired

    try:
        from logsense.share.notify.start import notice_of_failure, send_request, start_sender

        notice = notice_of_failure(report, _catalog(settings), sources)
        sender = start_sender("send", send_request(notice, str(settings.notify)))
        try:
            problems, _ = sender.communicate(timeout=NOTIFY_S)
        except TimeoutExpired:
            sender.kill()
            sender.communicate()
            problems = f"sending the notification took more than {NOTIFY_S:.0f} s".encode()
    except Exception as error:  # the report and the exit status matter more
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        problems = f"the notification could not be sent ({type(error).__name__})".encode()
    for line in problems.decode("utf-8", "replace").splitlines():
        note(line)


def check_addresses(to: str) -> None:
    """Check the addresses in `to` at the start of a job, in another process that prints problems. Send nothing."""
    from logsense.share.notify.start import start_sender

    try:
        checker = start_sender("check", to.encode())
        checker.returncode = 0  # it runs on by itself; avoids a warning about an unfinished child
    except OSError:
        pass


def conclude_apart(jobs: Sequence[JobLogs], settings: Settings, catalog: Catalog) -> int:
    """Write a table of `jobs` or, in a format for one report, that of the first failed one; return the exit status."""
    from logsense.render.survey.formats import render_survey
    from logsense.survey.several_jobs import as_survey, count_of

    if settings.format != "text":
        selected = selected_job(jobs, settings)
        return conclude(selected.report, settings, sys.stdout, selected.sources)
    survey = as_survey(jobs, catalog)
    if settings.redact:
        from logsense.share.bundle import redacted_values

        survey = redacted_values(survey, catalog)
    table = render_survey(survey, "text", look_of(sys.stdout, settings))
    assert isinstance(table, str)
    text = f"{count_of(jobs)}; to explain one job, name its logs only\n\n{table}"
    show(text, sys.stdout, settings, from_end=True)
    for source in (source for job in jobs for source in job.sources if source.note):
        note(f"{source.name}: {source.note}", settings)
    failed = any(job.report.outcome == "failed" for job in jobs)
    return STATUS_FAILURE_FOUND if settings.exit_code and failed else 0


def selected_job(jobs: Sequence[JobLogs], settings: Settings) -> JobLogs:
    """Return the first of `jobs` that failed, with a note if there are others."""
    from logsense.survey.several_jobs import count_of, job_to_explain

    selected = job_to_explain(jobs)
    if len(jobs) > 1:
        note(f"{count_of(jobs)}; this explains {selected.name}, logsense survey lists all", settings)
    return selected
