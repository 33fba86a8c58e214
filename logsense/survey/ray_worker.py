"""Read a share of a survey's tasks in a worker of a Ray cluster, with the same result as on the calling machine."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from platform import node

from logsense.catalog.load import catalog_from
from logsense.match.read import keep_tools
from logsense.model.knowledge import Catalog
from logsense.model.survey import JobRow
from logsense.sources.find import is_address
from logsense.survey.find import Task
from logsense.survey.read import read_task
from logsense.util.cores import disable_processes
from logsense.util.noun import NamedTuple
from logsense.util.version import __version__

_catalogs: dict[str, Catalog] = {}  # unpacked in this process, by key


class Setup(NamedTuple):
    """What the result of reading a log depends on: the version, the packed catalog and the caller's time zone."""

    version: str
    key: str
    packed_catalog: bytes
    time_zone: str


class Refusal(NamedTuple):
    """Why a node read nothing: its setup differs. `path` is the path that it can't see, if that is the reason."""

    node: str
    why: str
    path: str = ""


def read_share(setup: Setup, tasks: Sequence[Task]) -> list[list[JobRow]] | Refusal:
    """Return the rows of each of `tasks`, in order, or why this machine can't read them."""
    if setup.version != __version__:
        return Refusal(node(), f"has logsense {__version__}, not {setup.version}")
    files = (path for task in tasks for path in task.paths if not is_address(path))
    unseen = next((path for path in files if not os.path.lexists(path)), None)
    if unseen:
        return Refusal(node(), f"can't see {unseen}", unseen)
    catalog = _catalog_of(setup)
    return [read_task(task, catalog) for task in tasks]


def _catalog_of(setup: Setup) -> Catalog:
    if setup.key not in _catalogs:
        os.environ["TZ"] = setup.time_zone
        if hasattr(time, "tzset"):
            time.tzset()
        disable_processes()
        _catalogs[setup.key] = catalog_from(setup.key, setup.packed_catalog)
        keep_tools(_catalogs[setup.key])
    return _catalogs[setup.key]


def time_zone() -> str:
    """Return the time zone of this process in a form for any machine: TZ, or else a POSIX rule."""
    named = os.environ.get("TZ")
    if named:
        return named
    try:
        with open("/etc/localtime", "rb") as file:
            rule = file.read().rpartition(b"\n")[0].rpartition(b"\n")[2]  # RFC 8536, section 3.3: the footer
    except OSError:
        rule = b""
    return rule.decode("ascii", "replace") or "UTC0"
