"""Write a notification and start the process that sends it, so that a slow service delays nobody."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, Popen

from logsense.catalog.load import load_catalog
from logsense.jobs.side_process import program_of
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.render.clean import one_line
from logsense.render.notice import Notice, notice_of
from logsense.share.bundle import redacted, redacted_values
from logsense.share.notify import ADDRESSES_VARIABLE

# Where schedulers put the id of a job.
_JOB_VARIABLES = (
    ("Slurm job", "SLURM_JOB_ID"),
    ("PBS job", "PBS_JOBID"),
    ("LSF job", "LSB_JOBID"),
    ("pod", "POD_NAME"),
)
# What reports call inputs that have no name.
_UNNAMED_INPUTS = ("output", "cell", "traceback", "this program", "input", "kernel")
MOST_TITLE = 120


def notify(what: object, to: str | None = None) -> None:
    """Send a notification of a failure, without waiting for it.

    `what` is an explanation, an alert of a monitor, or a text. `to` holds addresses as for `--notify`, or `desktop`,
    separated by spaces; the default is LOGSENSE_NOTIFY. The message is redacted. Addresses that can't be reached are
    reported on standard error. Raise ValueError without an address, and OSError if no process can be started.
    """
    to = to or os.environ.get(ADDRESSES_VARIABLE)
    if not to:
        raise ValueError(f"no address to notify: use notify(what, to), or set {ADDRESSES_VARIABLE}")
    report = getattr(what, "report", None)
    if report is not None:
        notice = notice_of_failure(report, load_catalog())
    else:
        notice = redacted_values(_notice_of_text(str(getattr(what, "says", what))), load_catalog())
    sender = start_sender("detached", send_request(notice, to))
    sender.returncode = 0  # it runs on by itself; avoids a warning about an unfinished child


def notice_of_failure(report: Report, catalog: Catalog, sources: Sequence[Source] = ()) -> Notice:
    """Return the redacted message about a failed run, with the name of the job. `sources` are its logs."""
    shown = redacted(report, catalog, sources)
    inputs = [os.path.basename(one.rstrip("/")) or one for one in shown.inputs if one not in _UNNAMED_INPUTS]
    return notice_of(shown, ", ".join([*_job_name(), *inputs[:3]]))


def _job_name() -> list[str]:
    """Return the name that a scheduler gave this job, if any."""
    known = [f"{name} {os.environ[variable]}" for name, variable in _JOB_VARIABLES if os.environ.get(variable)]
    return known[:1]


def send_request(notice: Notice, to: str) -> bytes:
    """Return the input of the process that sends `notice`."""
    return json.dumps({"to": to, "title": notice.title, "body": notice.body}).encode()


def start_sender(mode: str, request: bytes) -> Popen[bytes]:
    """Start the process that sends or checks a notification.

    It gets `request` on standard input, since addresses can hold secrets. In mode "send", it reports problems on its
    output; in modes "detached" and "check", on our standard error. Raise OSError if it can't be started.
    """
    sender = Popen(
        [sys.executable, "-c", program_of("logsense.share.notify.send"), mode],
        stdin=PIPE,
        stdout=PIPE if mode == "send" else sys.__stderr__,
        stderr=DEVNULL,
        start_new_session=os.name != "nt",
    )
    assert sender.stdin
    with sender.stdin as pipe:
        pipe.write(request)
    sender.stdin = None
    return sender


def _notice_of_text(text: str) -> Notice:
    title, _, rest = one_line(text).partition(". ")
    body = "\n".join([*_job_name(), rest or title])
    return Notice(title[:MOST_TITLE], body)
