"""`--notify URL`: tells somebody that a run failed, and why, in a few redacted words.

Sending is done by a process of its own: no service, however slow, keeps a job from ending for longer than some seconds.
"""

from __future__ import annotations

import os
import sys

from logsense.cli.output import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

    from logsense.cli.options import Settings
    from logsense.model.report import Report

LIMIT_S = 8.0  # the process ends by itself before, unless something hangs in it
MISSING = "--notify needs a library that is not installed: pip install 'logsense-ml[notify]'"
# What a scheduler calls a job by.
_JOBS = (("Slurm job", "SLURM_JOB_ID"), ("PBS job", "PBS_JOBID"), ("LSF job", "LSB_JOBID"), ("pod", "POD_NAME"))


def tell(report: Report, settings: Settings) -> None:
    """Sends what became of the failed run in `report` to where `settings` say. What goes wrong is one line."""
    if not settings.notify:
        return
    import json
    import subprocess

    from logsense.catalog.load import load_catalog
    from logsense.render.notice import notice_of
    from logsense.sharing import redacted

    try:
        hidden = redacted(report, load_catalog(settings.rules, settings.corpus))
        title, body = notice_of(hidden, _job(hidden))
        sender = _sender("send")
        order = {"to": settings.notify, "title": title, "body": body}
        try:
            said, _ = sender.communicate(json.dumps(order).encode(), timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
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
    try:
        checker = _sender("check")
        assert checker.stdin
        checker.stdin.write(to.encode())
        checker.stdin.close()
        checker.returncode = 0  # nobody waits for it
    except OSError:
        pass


def _sender(mode: str) -> Popen[bytes]:
    import subprocess

    from logsense.machine.recorder.process import program_of

    return subprocess.Popen(
        [sys.executable, "-c", program_of("logsense.cli.notify_send"), mode],
        stdin=subprocess.PIPE,
        stdout=sys.__stderr__ if mode == "check" else subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name != "nt",
    )


def _job(report: Report) -> str:
    known = [f"{name} {os.environ[variable]}" for name, variable in _JOBS if os.environ.get(variable)]
    inputs = [os.path.basename(one.rstrip("/")) or one for one in report.inputs if one not in ("output", "cell")]
    return ", ".join([*known[:1], *inputs[:3]])
