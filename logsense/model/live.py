"""What is known about machine and job besides the log: facts, how the job ended, changes over time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.util.noun import NamedTuple


class LiveFact(NamedTuple):
    """A fact read from the machine, under the name that rules use; `source` says where."""

    value: object
    source: str = ""


class Series(NamedTuple):
    """Values over time for a small plot: (seconds since the job began, value). `limit` is their upper bound.

    `unit` is the type of a fact (bytes, ratio, float). `families` are the families of causes that the plot illustrates.
    """

    title: str
    unit: str
    points: tuple[tuple[float, float], ...]
    limit: float | None = None
    families: tuple[str, ...] = ()


class Ended(NamedTuple):
    """How the job's process ended: with a status, or by a signal. `by_user` says that somebody pressed Ctrl-C."""

    status: int | None = None
    signal: int | None = None
    by_user: bool = False

    @property
    def failed(self) -> bool:
        """Whether it ended with a status other than 0, or by a signal."""
        return bool(self.signal or self.status)


class Own(NamedTuple):
    """What on the machine belongs to the job: processes, control groups that it does not share, and GPUs."""

    pids: frozenset[int] = frozenset()
    groups: frozenset[str] = frozenset()
    gpus: frozenset[str] = frozenset()


class Live(NamedTuple):
    """What was learned about a run besides its log.

    `looked` says briefly when and where the facts were read ("this machine, now", "recorded until 03:12:07"). `ended`
    is None if nobody saw the end. `kernel_log` is the kernel's log from shortly before the end, about all jobs; `own`
    tells which of it concerns this job.
    """

    looked: str
    facts: Mapping[str, LiveFact] = MappingProxyType({})
    ended: Ended | None = None
    series: tuple[Series, ...] = ()
    kernel_log: bytes = b""
    own: Own = Own()
