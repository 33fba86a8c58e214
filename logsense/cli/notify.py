"""`--notify URL`: tells somebody that a run failed, and why, in a few redacted words."""

from __future__ import annotations

import os

from logsense.cli.output import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Settings
    from logsense.model.report import Report
    from logsense.model.source import Source

# The process that sends ends by itself before, unless something hangs in it.
LIMIT_S = 8.0


def tell(report: Report, settings: Settings, sources: Sequence[Source] = ()) -> None:
    """Sends what became of the failed run in `report` to where `settings` say. What goes wrong is one line."""
    if not settings.notify:
        return
    from subprocess import TimeoutExpired

    from logsense.catalog.load import load_catalog
    from logsense.share.notify.start import notice_of_failure, send_request, start_sender

    try:
        catalog = load_catalog(settings.rules, settings.corpus, trusted=settings.trusted)
        notice = notice_of_failure(report, catalog, sources)
        sender = start_sender("send", send_request(notice, settings.notify))
        try:
            said, _ = sender.communicate(timeout=LIMIT_S)
        except TimeoutExpired:
            sender.kill()
            sender.communicate()
            said = f"nobody could be notified within {LIMIT_S:.0f} s".encode()
    except Exception as error:  # whatever it is, the answer and the job's status matter more
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        said = f"nobody could be notified ({type(error).__name__})".encode()
    for line in said.decode("utf-8", "replace").splitlines():
        note(line)


def check_early(to: str | None) -> None:
    """Says at the beginning of a long job, in a process of its own, that `to` can't be notified; sends nothing."""
    if not to:
        return
    from logsense.share.notify.start import start_sender

    try:
        checker = start_sender("check", to.encode())
        checker.returncode = 0  # nobody waits for it
    except OSError:
        pass
