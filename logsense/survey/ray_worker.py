"""What a process of a Ray cluster does for a survey: reads a share of the tasks as the machine that asks would."""

from __future__ import annotations

import os

from logsense.catalog.load import catalog_from
from logsense.match.read import keep_tools
from logsense.sources.find import is_address
from logsense.survey.work import read
from logsense.util.cores import single_process
from logsense.util.noun import NamedTuple
from logsense.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.model.knowledge import Catalog
    from logsense.model.survey import JobRow
    from logsense.survey.find import Task

_catalogs: dict[str, Catalog] = {}  # those that this process has unpacked


class Setup(NamedTuple):
    """What makes a row the same wherever it is read: the program's version, its knowledge, and the asker's zone."""

    version: str
    key: str
    knowledge: bytes
    zone: str


class Unfit(NamedTuple):
    """Why nothing was read: this machine is set up in another way. `path` is what it can't see, where that is why."""

    node: str
    why: str
    path: str = ""


def read_share(setup: Setup, tasks: Sequence[Task]) -> list[list[JobRow]] | Unfit:
    """The rows of each of `tasks`, in order; or why this machine is not fit to read them."""
    from platform import node

    if setup.version != __version__:
        return Unfit(node(), f"has logsense {__version__}, not {setup.version}")
    files = (path for task in tasks for path in task.paths if not is_address(path))
    unseen = next((path for path in files if not os.path.lexists(path)), None)
    if unseen:
        return Unfit(node(), f"can't see {unseen}", unseen)
    catalog = _prepared(setup)

    return [read(task, catalog) for task in tasks]


def _prepared(setup: Setup) -> Catalog:
    import time

    if setup.key not in _catalogs:
        os.environ["TZ"] = setup.zone
        if hasattr(time, "tzset"):
            time.tzset()
        single_process()
        _catalogs[setup.key] = catalog_from(setup.key, setup.knowledge)
        keep_tools(_catalogs[setup.key])
    return _catalogs[setup.key]


def zone_here() -> str:
    """The time zone of this process, such that another machine knows it: as a rule of POSIX where one is known."""
    named = os.environ.get("TZ")
    if named:
        return named
    try:
        with open("/etc/localtime", "rb") as file:
            rule = file.read().rpartition(b"\n")[0].rpartition(b"\n")[2]  # RFC 8536, section 3.3: the footer
    except OSError:
        rule = b""
    return rule.decode("ascii", "replace") or "UTC0"
