"""Reads the tasks of a survey on a Ray cluster; the rows are those that one machine would give.

Workers get the knowledge of the machine that asks, and read the same paths: what is surveyed lies on a file system that
every node sees. A worker or a node that is lost costs only time.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from importlib import import_module

from logsense.survey.ray_worker import Setup, Unfit, read_share, zone_here
from logsense.survey.shares import shares_of
from logsense.survey.work import unreadable
from logsense.util.errors import InputError
from logsense.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from logsense.model.survey import JobRow
    from logsense.survey.find import Task

    Done = tuple[Task, list[JobRow]]

AHEAD = 2  # shares on their way, for each core of the cluster
MOST_KILLS = 2  # of a worker that read this task and nothing else
MOST_LOSSES = 5  # in any way, nodes that went away among them
KNOCK_S = 10.0
LONGEST = 300  # letters of an error
WAIT_S = 1.0
PATIENCE_S = 30.0  # after which it is said that nobody works


def read_all(
    tasks: Sequence[Task], most: int | None, key: str, knowledge: bytes, tell: Callable[[str], object]
) -> Generator[Done, None, None]:
    """Each of `tasks` with the rows of its jobs, as they get done, the largest begun first.

    At most `most` cores are used, where given; `knowledge` is the packed catalog of this `key`; `tell` is told what the
    user should know. Raises InputError where there is no cluster, or a node of it is not fit for this.
    """
    ray = _connected(tell)
    try:
        yield from _Reading(ray, most, tell).read(tasks, Setup(__version__, key, knowledge, zone_here()))
    except ray.exceptions.RayError as error:
        raise InputError(f"the Ray cluster can't be used: {_first_line(error)}") from None
    finally:
        ray.shutdown()


class _Reading:
    """One survey on a cluster that this process is connected to."""

    def __init__(self, ray: Any, most: int | None, tell: Callable[[str], object]) -> None:
        self._ray, self._most, self._tell = ray, most, tell
        self._running: dict[Any, list[Task]] = {}
        self._waiting: deque[list[Task]] = deque()
        self._kills: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._node_lost: tuple[type[Exception], ...] = tuple(
            getattr(ray.exceptions, name) for name in ("NodeDiedError", "LocalRayletDiedError")
        )

    def read(self, tasks: Sequence[Task], setup: Setup) -> Generator[Done, None, None]:
        shared = self._ray.put(setup)
        work = self._ray.remote(num_cpus=1, max_retries=0)(read_share)
        self._waiting.extend(shares_of(tasks, self._most or self._cores()))
        began, answered = time.monotonic(), False
        try:
            while self._waiting or self._running:
                room = self._most or max(1, AHEAD * self._cores())
                while self._waiting and len(self._running) < room:
                    share = self._waiting.popleft()
                    self._running[work.remote(shared, share)] = share
                ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=WAIT_S)
                for one in ready:
                    answered = True
                    yield from self._taken(one)
                if not answered and time.monotonic() - began > PATIENCE_S:
                    answered = True
                    self._tell(f"no core of the Ray cluster is free yet ({self._cores()} in all); waiting")
        finally:
            for one in self._running:
                self._ray.cancel(one, force=True)

    def _cores(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def _taken(self, one: Any) -> list[Done]:
        """What a share that has ended brought. Of one whose worker was lost, the tasks are read again, each alone."""
        share = self._running.pop(one)
        try:
            answer: list[list[JobRow]] | Unfit = self._ray.get(one)
        except (self._ray.exceptions.RayTaskError, self._ray.exceptions.RuntimeEnvSetupError) as error:
            raise InputError(f"the Ray cluster's nodes can't run logsense: {_last_line(error)}") from None
        except self._ray.exceptions.RayError as error:
            return self._lost(share, by_node=isinstance(error, self._node_lost))
        if not isinstance(answer, Unfit):
            return list(zip(share, answer, strict=True))
        if answer.path and not os.path.lexists(answer.path):  # it went away since it was found
            gone = [task for task in share if answer.path in task.paths]
            self._waiting.extendleft([task] for task in share if task not in gone)
            return [(task, [unreadable(task, f"{answer.path}: no such file")]) for task in gone]
        advice = "; a folder that all nodes see can be surveyed" if answer.path else ""
        raise InputError(f"{answer.node}, a node of the Ray cluster, {answer.why}{advice}")

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


def _connected(tell: Callable[[str], object]) -> Any:
    """The module of Ray, connected to the cluster of RAY_ADDRESS, or that of this machine, or else to a new one."""
    try:
        ray: Any = import_module("ray")
    except ImportError:
        raise InputError("--engine ray needs pip install 'logsense-ml[fleet]'") from None
    import logging

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
    wanted = os.environ.get("RAY_ADDRESS")
    if wanted:
        _knock(wanted)
    try:
        try:
            ray.init(address=wanted or "auto", **quiet)
        except ConnectionError:
            if wanted:
                raise
            tell("no Ray cluster is running here and RAY_ADDRESS names none; one is started on this machine")
            ray.init(address="local", include_dashboard=False, **quiet)
    except Exception as error:  # noqa: BLE001 - it has many ways to fail
        where = f"the Ray cluster at {wanted}" if wanted else "a Ray cluster"
        # Unless it is told so, Ray sends no token to a cluster that is named by its address.
        guarded = wanted and "RAY_AUTH_MODE" not in os.environ
        hint = "; where a token guards it, set RAY_AUTH_MODE=token" if guarded else ""
        raise InputError(f"can't reach {where}: {_first_line(error)}{hint}") from None
    return ray


def _knock(address: str) -> None:
    """Raises InputError where nobody listens at `address`, a host and a port: Ray would wait for minutes."""
    import socket

    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_S).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"can't reach the Ray cluster at {address}: {str(why).lower()}") from None


def _first_line(error: Exception) -> str:
    return (_lines(error) or [type(error).__name__])[0][:LONGEST]


def _last_line(error: Exception) -> str:
    return (_lines(error) or [type(error).__name__])[-1][:LONGEST]


def _lines(error: Exception) -> list[str]:
    return [line.strip() for line in str(error).splitlines() if line.strip()]
