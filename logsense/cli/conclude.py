"""Writes an answer where it is wanted, and gives the exit status."""

from __future__ import annotations

import os

from logsense.catalog.load import keep_regexes, load_catalog
from logsense.cli.output import look_of, show, write
from logsense.model.report import Report
from logsense.render.formats import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.model.source import Source

STATUS_FAILURE_FOUND = 1

# With --exit-code=verdict. 75 is EX_TEMPFAIL of sysexits.h: try again later; 76 is the next one.
STATUS_BY_VERDICT = {"fix-first": STATUS_FAILURE_FOUND, "retry": 75, "other-node": 76}


def conclude(
    report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source] = (), again: str = ""
) -> int:
    """Writes the answer to `stream` or to the file asked for; gives the exit status.

    `sources` are the logs, where more of them may be shown than the answer holds; `again` is the command that shows
    the whole answer, where `settings` don't tell.
    """
    failed = report.outcome == "failed"
    try:
        if failed or not settings.quiet:
            _write(report, settings, stream, sources, again)
    finally:  # where nobody reads the answer any more, a message matters most
        if failed and settings.notify:
            from logsense.cli.notify import tell

            tell(report, settings, sources)
    keep_regexes()
    return status_of(report, settings)


def _write(report: Report, settings: Settings, stream: TextIO, sources: Sequence[Source], again: str) -> None:
    if settings.format == "prompt":
        from logsense.render.prompt import render_prompt
        from logsense.share.bundle import bundle_of, redacted_bundle

        write(render_prompt(redacted_bundle(bundle_of(report, sources), _knowledge(settings))), stream, settings)
    else:
        if settings.redact:
            from logsense.share.bundle import redacted

            report = redacted(report, _knowledge(settings), sources)
        show(render(report, settings.format, look_of(stream, settings, again)), stream, settings)
    if settings.format == "github":
        _add_summary(report)


def status_of(report: Report, settings: Settings) -> int:
    """The exit status that `settings` ask for: always 0, 1 for a failure, or what says whether to run again."""
    if not settings.exit_code or report.outcome != "failed":
        return 0
    if settings.exit_code == "verdict" and report.rerun:
        return STATUS_BY_VERDICT.get(report.rerun.verdict, STATUS_FAILURE_FOUND)
    return STATUS_FAILURE_FOUND


def _knowledge(settings: Settings) -> Catalog:
    return load_catalog(settings.rules, settings.corpus, trusted=settings.trusted)


def _add_summary(report: Report) -> None:
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        from logsense.render.look import Look

        with open(path, "a", encoding="utf-8") as file:
            file.write(render(report, "markdown", Look()))
