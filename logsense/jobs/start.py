"""Select how to run a command on this system."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from logsense.jobs.launched import Launched

_job: type[Launched]
if sys.platform != "win32" and hasattr(os, "fork"):
    from logsense.jobs.job import Job

    _job = Job
else:
    from logsense.jobs.pipes import PipedJob

    _job = PipedJob


def launched(command: Sequence[str]) -> Launched:
    """Return a runner for `command`: with a pseudoterminal if the system has them, else with pipes."""
    return _job(command)
