"""Read the tasks of a survey on a Ray cluster. The rows are the same as on one machine.

Workers get the catalog of the calling machine and read the same paths, so the logs must be on a shared file system.
Losing a worker or a node costs only time.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from importlib import import_module
from platform import node
from typing import Any

from logsense.catalog.load import catalog_from
from logsense.match.read import keep_tools
from logsense.model.knowledge import Catalog
from logsense.model.survey import JobRow
from logsense.sources.find import is_address
from logsense.survey.find import Task
from logsense.survey.read import read_task, unreadable
from logsense.util.errors import InputError
from logsense.util.noun import NamedTuple
from logsense.util.version import __version__

Done = tuple[Task, list[JobRow]]

QUEUED_PER_CORE = 2  # shares
MOST_KILLS = 2  # of a worker that read only this task
MOST_LOSSES = 5  # for any reason, including lost nodes
CONNECT_S = 10.0
LONGEST = 300  # characters of an error message
WAIT_S = 1.0
PATIENCE_S = 30.0  # before a notice that no core is free
# Sending a share to a worker costs a few milliseconds; reading a share of small logs takes about a second.
SHARE_BYTES, SHARE_TASKS = 8 << 20, 64


def read_tasks_on_ray(
    tasks: Sequence[Task], cores: int | None, key: str, packed_catalog: bytes, on_notice: Callable[[str], object]
) -> Generator[Done, None, None]:
    """Yield each of `tasks` with the rows of its jobs, in order of completion; the largest start first.

    Use at most `cores` cores (None: all). `packed_catalog` is the catalog of this `key`. `on_notice` gets notices for
    the user. Raise InputError if no cluster can be reached or a node is not set up for this.
    """
    ray = _connect(on_notice)
    try:
        yield from _Reading(ray, cores, on_notice).read(tasks, Setup(__version__, key, packed_catalog, time_zone()))
    except ray.exceptions.RayError as error:
        raise InputError(f"the Ray cluster can't be used: {_lines(error)[0]}") from None
    finally:
        ray.shutdown()


class _Reading:
    """One survey on a connected cluster."""

    def __init__(self, ray: Any, most_cores: int | None, on_notice: Callable[[str], object]) -> None:
        self._ray, self._most_cores, self._on_notice = ray, most_cores, on_notice
        self._running: dict[Any, list[Task]] = {}
        self._waiting: deque[list[Task]] = deque()
        self._kills: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._node_lost: tuple[type[Exception], ...] = tuple(
            getattr(ray.exceptions, name) for name in ("NodeDiedError", "LocalRayletDiedError")
        )

    def read(self, tasks: Sequence[Task], setup: Setup) -> Generator[Done, None, None]:
        shared = self._ray.put(setup)
        read_remotely = self._ray.remote(num_cpus=1, max_retries=0)(read_share)
        self._waiting.extend(shares_of(tasks, self._most_cores or self._cores()))
        started_s, answered = time.monotonic(), False
        try:
            while self._waiting or self._running:
                room = self._most_cores or max(1, QUEUED_PER_CORE * self._cores())
                while self._waiting and len(self._running) < room:
                    share = self._waiting.popleft()
                    self._running[read_remotely.remote(shared, share)] = share
                ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=WAIT_S)
                for one in ready:
                    answered = True
                    yield from self._rows_of(one)
                if not answered and time.monotonic() - started_s > PATIENCE_S:
                    answered = True
                    self._on_notice(f"waiting: none of the Ray cluster's {self._cores()} cores is free")
        finally:
            for one in self._running:
                self._ray.cancel(one, force=True)

    def _cores(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def _rows_of(self, one: Any) -> list[Done]:
        """Return the rows of a finished share. If its worker was lost, queue its tasks again, one by one."""
        share = self._running.pop(one)
        try:
            answer: list[list[JobRow]] | Refusal = self._ray.get(one)
        except (self._ray.exceptions.RayTaskError, self._ray.exceptions.RuntimeEnvSetupError) as error:
            raise InputError(f"the Ray cluster's nodes can't run logsense: {_lines(error)[-1]}") from None
        except self._ray.exceptions.RayError as error:
            return self._lost(share, by_node=isinstance(error, self._node_lost))
        if not isinstance(answer, Refusal):
            return list(zip(share, answer, strict=True))
        if answer.path and not os.path.lexists(answer.path):  # deleted meanwhile
            gone = [task for task in share if answer.path in task.paths]
            self._waiting.extendleft([task] for task in share if task not in gone)
            return [(task, [unreadable(task, f"{answer.path}: no such file")]) for task in gone]
        advice = "; the logs must be on a shared file system" if answer.path else ""
        raise InputError(f"Ray node {answer.node} {answer.why}{advice}")

    def _lost(self, share: list[Task], *, by_node: bool) -> list[Done]:
        alone = len(share) == 1
        given_up = []
        for task in share:
            self._losses[task.name] += 1
            self._kills[task.name] += alone and not by_node
            if self._kills[task.name] >= MOST_KILLS or self._losses[task.name] >= MOST_LOSSES:
                given_up.append(task)
            else:
                self._waiting.appendleft([task])
        return [(task, [unreadable(task, "the process that read it was killed")]) for task in given_up]


def _connect(on_notice: Callable[[str], object]) -> Any:
    """Return the module `ray`, connected to the cluster at RAY_ADDRESS, the one on this machine, or a new one."""
    try:
        ray: Any = import_module("ray")
    except ImportError:
        raise InputError("--engine ray needs pip install 'logsense-ml[fleet]'") from None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    address = os.environ.get("RAY_ADDRESS")
    if address:
        _check_reachable(address)
    try:
        try:
            ray.init(address=address or "auto", **quiet)
        except ConnectionError:
            if address:
                raise
            on_notice("no Ray cluster is running here and RAY_ADDRESS is not set; starting one on this machine")
            ray.init(address="local", include_dashboard=False, **quiet)
    except Exception as error:  # noqa: BLE001 - it has many ways to fail
        where = f"the Ray cluster at {address}" if address else "a Ray cluster"
        # By default, Ray sends no token to a cluster given by address.
        hint = "; if it needs a token, set RAY_AUTH_MODE=token" if address and "RAY_AUTH_MODE" not in os.environ else ""
        raise InputError(f"can't reach {where}: {_lines(error)[0]}{hint}") from None
    return ray


def _check_reachable(address: str) -> None:
    """Raise InputError if nothing listens at `address`, a host and a port. Ray itself would wait for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"can't reach the Ray cluster at {address}: {str(why).lower()}") from None


def _lines(error: Exception) -> list[str]:
    """Return the lines of the message of `error`, each cut to a length worth showing; its type if it has none."""
    return [line.strip()[:LONGEST] for line in str(error).splitlines() if line.strip()] or [type(error).__name__]


def shares_of(tasks: Sequence[Task], workers: int) -> list[list[Task]]:
    """Return `tasks` in shares, the largest first, with several shares per worker if there are enough tasks."""
    most = max(1, min(SHARE_TASKS, len(tasks) // (4 * max(1, workers))))
    shares: list[list[Task]] = []
    size_bytes = 0
    for task in sorted(tasks, key=lambda task: (-task.size_bytes, task.name)):
        if not shares or len(shares[-1]) >= most or size_bytes + task.size_bytes > SHARE_BYTES:
            shares.append([])
            size_bytes = 0
        shares[-1].append(task)
        size_bytes += task.size_bytes
    return shares


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
