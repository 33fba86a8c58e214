"""Write a report where the user wants it, and return the exit status."""

from __future__ import annotations

import os
from collections.abc import Sequence

from logsense.catalog.load import keep_regexes, load_catalog
from logsense.cli.options import Settings
from logsense.cli.output import look_of, show, write
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.render.formats import render
from logsense.render.look import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

STATUS_FAILURE_FOUND = 1

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
            from logsense.cli.notify import send

            send(report, settings, sources)
    keep_regexes()
    return status_of(report, settings)


def _write(report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source], details_command: str) -> None:
    if settings.format == "prompt":
        from logsense.render.prompt import render_prompt
        from logsense.share.bundle import bundle_of, redacted_bundle

        write(render_prompt(redacted_bundle(bundle_of(report, sources), _catalog(settings))), stream, settings)
    else:
        if settings.redact:
            from logsense.share.bundle import redacted

            report = redacted(report, _catalog(settings), sources)
        show(render(report, settings.format, look_of(stream, settings, details_command)), stream, settings)
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
