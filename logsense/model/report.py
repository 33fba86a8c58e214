"""A report: the answer for one input, in the shape of the public JSON contract."""

from __future__ import annotations

from dataclasses import dataclass, field

SCHEMA = "logsense.report/1"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence and the log line that proves it (None where it was worked out from several).

    `focus` is from where to where in `text` the message stands, for those who have no room for all of it.
    """

    says: str
    source: str | None = None
    line: int | None = None
    text: str | None = None
    rank: int | None = None
    host: str | None = None
    time: str | None = None
    focus: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """What to do; `risk` is none, restart, changes-training, needs-admin or data-loss."""

    do: str
    run: str | None = None
    why: str | None = None
    risk: str = "none"


@dataclass(frozen=True, slots=True)
class Check:
    """A check that would decide between causes."""

    do: str
    run: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A cause with the probability that it is the right one, and what speaks for and against it."""

    cause: str
    confidence: float
    title: str
    explanation: str
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()
    decide: tuple[Check, ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rerun:
    """Whether running again makes sense: `verdict` is fix-first, retry or other-node."""

    verdict: str
    why: str
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Culprit:
    """A rank at fault."""

    rank: int | None
    host: str | None
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Consequence:
    """What followed from the failure, and the ranks that printed it."""

    says: str
    ranks: tuple[int, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Noise:
    """A harmless message that looks alarming."""

    signature: str
    count: int
    says: str


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A known message that an unexplained line resembles; `distance` is 0 (same) to 1 (unrelated)."""

    signature: str
    title: str
    distance: float


@dataclass(frozen=True, slots=True)
class FactValue:
    """A fact as the report shows it: formatted for reading, with where it was read."""

    value: object
    source: str | None = None
    line: int | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The answer for one input. `outcome` is failed, completed, running or unknown."""

    outcome: str
    diagnoses: tuple[Diagnosis, ...] = ()
    rerun: Rerun | None = None
    culprits: tuple[Culprit, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    noise: tuple[Noise, ...] = ()
    facts: dict[str, FactValue] = field(default_factory=dict)
    unexplained: tuple[Evidence, ...] = ()
    near: tuple[NearMiss, ...] = ()
    inputs: tuple[str, ...] = ()
    bytes_read: int = 0
    lines_read: int = 0
