"""Starts a command in the way that this system allows."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    """What runs `command`: on a terminal of its own where there can be one, else through pipes."""
    return _job(command)
