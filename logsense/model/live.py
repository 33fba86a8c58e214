"""What is known of the machine and the job beside the log: facts, how the job ended, and what changed over time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.util.noun import NamedTuple


class LiveFact(NamedTuple):
    """A fact that was read from the machine, under the name that rules know it by; `source` says from where."""

    value: object
    source: str = ""


class Series(NamedTuple):
    """Values over time for a small plot: (seconds since the job began, value). `limit` is what they can't exceed.

    `unit` is the type of a fact (bytes, ratio, float). `families` are the families of causes that the plot belongs to.
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


class Own(NamedTuple):
    """What on the machine is known to be the job's: processes, control groups that it has to itself, and GPUs."""

    pids: frozenset[int] = frozenset()
    groups: frozenset[str] = frozenset()
    gpus: frozenset[str] = frozenset()


class Live(NamedTuple):
    """All that was learnt about one run beside its log.

    `looked` says in a few words when and where the facts were read ("this machine, now", "recorded until 03:12:07").
    `ended` is None where nobody saw the end. `kernel_log` is what the kernel said shortly before it,
    of the job and of all others; `own` tells which is which.
    """

    looked: str
    facts: Mapping[str, LiveFact] = MappingProxyType({})
    ended: Ended | None = None
    series: tuple[Series, ...] = ()
    kernel_log: bytes = b""
    own: Own = Own()
