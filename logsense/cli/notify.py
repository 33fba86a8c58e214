"""`--notify URL`: send a short, redacted message that a run failed, and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from subprocess import TimeoutExpired

from logsense.catalog.load import load_catalog
from logsense.cli.options import Settings
from logsense.cli.output import note
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.share.notify.start import notice_of_failure, send_request, start_sender

# The sending process has its own, shorter limit; this one is for a process that hangs.
LIMIT_S = 8.0


def send(report: Report, settings: Settings, sources: Sequence[Source] = ()) -> None:
    """Notify the addresses in `settings` of the failed run in `report`. Print a line for each problem."""
    if not settings.notify:
        return
    try:
        catalog = load_catalog(settings.rules, settings.corpus, trusted=settings.trusted)
        notice = notice_of_failure(report, catalog, sources)
        sender = start_sender("send", send_request(notice, settings.notify))
        try:
            problems, _ = sender.communicate(timeout=LIMIT_S)
        except TimeoutExpired:
            sender.kill()
            sender.communicate()
            problems = f"sending the notification took more than {LIMIT_S:.0f} s".encode()
    except Exception as error:  # the report and the exit status matter more
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        problems = f"the notification could not be sent ({type(error).__name__})".encode()
    for line in problems.decode("utf-8", "replace").splitlines():
        note(line)


def check_early(to: str | None) -> None:
    """Check the addresses in `to` at the start of a job, in another process that prints problems. Send nothing."""
    if not to:
        return
    try:
        checker = start_sender("check", to.encode())
        checker.returncode = 0  # it runs on by itself; avoids a warning about an unfinished child
    except OSError:
        pass
