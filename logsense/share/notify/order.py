"""What is told, and the process that tells it: no service, however slow, holds up who asks for it."""

from __future__ import annotations

import json
import os
import sys

from logsense.catalog.load import load_catalog
from logsense.jobs.beside import program_of
from logsense.render.clean import one_line
from logsense.render.notice import Notice, notice_of
from logsense.share.bundle import redacted, redacted_values
from logsense.share.notify import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from subprocess import Popen

    from logsense.model.knowledge import Catalog
    from logsense.model.report import Report
    from logsense.model.source import Source

# What a scheduler calls a job by.
_JOBS = (("Slurm job", "SLURM_JOB_ID"), ("PBS job", "PBS_JOBID"), ("LSF job", "LSB_JOBID"), ("pod", "POD_NAME"))
# What reports call an input that has no name of its own.
_NAMELESS = ("output", "cell", "traceback", "this program", "input", "kernel")
MOST_TITLE = 120


def notify(what: object, to: str | None = None) -> None:
    """Tells somebody of a failure, without waiting until that is done.

    `what` is an explanation, something that a monitor said, or a text. `to` are addresses as for `--notify`, or
    `desktop`, with blanks in between; by default those in LOGSENSE_NOTIFY. What is sent is redacted; whom it can't be
    sent to is said in a line on standard error. Raises ValueError where nobody is named, and OSError where no process
    can be started.
    """
    to = to or os.environ.get(VARIABLE)
    if not to:
        raise ValueError(f"say whom to tell: notify(what, to), or {VARIABLE} in the environment")
    report = getattr(what, "report", None)
    if report is not None:
        notice = notice_of_failure(report, load_catalog())
    else:
        notice = redacted_values(_notice_of_text(str(getattr(what, "says", what))), load_catalog())
    sender = start("tell", order(notice, to))
    sender.returncode = 0  # nobody waits for it


def notice_of_failure(report: Report, catalog: Catalog, sources: Sequence[Source] = ()) -> Notice:
    """The message on a failed run, redacted, with the name of the job; `sources` are its logs."""
    hidden = redacted(report, catalog, sources)
    known = [f"{name} {os.environ[variable]}" for name, variable in _JOBS if os.environ.get(variable)]
    inputs = [os.path.basename(one.rstrip("/")) or one for one in hidden.inputs if one not in _NAMELESS]
    return notice_of(hidden, ", ".join([*known[:1], *inputs[:3]]))


def order(notice: Notice, to: str) -> bytes:
    """What the process that sends `notice` is told."""
    return json.dumps({"to": to, "title": notice.title, "body": notice.body}).encode()


def start(mode: str, told: bytes) -> Popen[bytes]:
    """Starts the process that sends: it is `told` on its input what to send and to whom, which is not for everybody's
    eyes. Of the modes, `send` says what went wrong on its output, `tell` and `check` on our standard error.
    Raises OSError where it can't be started.
    """
    import subprocess

    sender = subprocess.Popen(
        [sys.executable, "-c", program_of("logsense.share.notify.send"), mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if mode == "send" else sys.__stderr__,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name != "nt",
    )
    assert sender.stdin
    with sender.stdin as pipe:
        pipe.write(told)
    sender.stdin = None
    return sender


def _notice_of_text(text: str) -> Notice:
    title, _, rest = one_line(text).partition(". ")
    known = [f"{name} {os.environ[variable]}" for name, variable in _JOBS if os.environ.get(variable)]
    body = "\n".join([*known[:1], rest or title])
    return Notice(title[:MOST_TITLE], body)
