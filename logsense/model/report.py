"""A report: the answer for one input, in the shape of the public JSON contract."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.model.live import Series
from logsense.model.reading import Coverage
from logsense.util.noun import NamedTuple

SCHEMA = "logsense.report/1"
REPORTS_STATUS = "reports that it failed, without a reason"  # what a line says: an exit status or the like
BREAKS_OFF = "the traceback breaks off before its last line, which names the error"


class Evidence(NamedTuple):
    """A sentence and the log line that proves it (None if it follows from several).

    `focus` is the span of the message in `text`, for displays without room for all of it.
    """

    says: str
    source: str | None = None
    line: int | None = None
    text: str | None = None
    rank: int | None = None
    host: str | None = None
    time: str | None = None
    focus: tuple[int, int] | None = None


class Fix(NamedTuple):
    """What to do; `risk` is one of `RISKS`, or several separated by a comma."""

    do: str
    run: str | None = None
    why: str | None = None
    risk: str = "none"


class Check(NamedTuple):
    """A check that would decide between causes."""

    do: str
    run: str | None = None


class Diagnosis(NamedTuple):
    """A cause with the probability that it is right, and the evidence for and against it.

    `restates` marks a cause that adds little to the message, which need not be repeated below a traceback.
    """

    cause: str
    confidence: float
    title: str
    explanation: str
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()
    decide: tuple[Check, ...] = ()
    references: tuple[str, ...] = ()
    restates: bool = False


class Rerun(NamedTuple):
    """Whether a rerun makes sense: `verdict` is fix-first, retry or other-node."""

    verdict: str
    why: str
    exclude: tuple[str, ...] = ()


class Saved(NamedTuple):
    """The last checkpoint that the log mentions; None for what is unknown.

    `before_end_s` is how many seconds before the failure, or the end of the log, it was written.
    """

    step: int | None
    epoch: float | None
    path: str | None
    source: str
    line: int
    before_end_s: float | None = None


class Progress(NamedTuple):
    """How far the run had come at the failure, or at the end of the log; None for what is unknown.

    `phase` is the name of the phase of the run, `says` its description. `after_s` is the time in seconds since the run
    began.
    """

    phase: str | None = None
    says: str = ""
    step: int | None = None
    steps: int | None = None
    epoch: float | None = None
    epochs: int | None = None
    loss: float | None = None
    after_s: float | None = None
    checkpoint: Saved | None = None


class Culprit(NamedTuple):
    """A rank at fault."""

    rank: int | None
    host: str | None
    source: str
    line: int


class Attempt(NamedTuple):
    """Another failed attempt at the same job: cause and ranks at fault.

    `what` is the word for it: an attempt, a notebook cell, a survived failure, or another program that failed in the
    same log. `more` means that there may be more of this kind.
    """

    cause: str
    title: str
    culprits: tuple[Culprit, ...] = ()
    what: str = "attempt"
    more: bool = False


class Consequence(NamedTuple):
    """What followed from the failure, and the ranks that printed it.

    `after` is the consequence that this one follows from; "" if that is the failure itself.
    """

    says: str
    ranks: tuple[int, ...] = ()
    seen: int = 1
    after: str = ""


class Mark(NamedTuple):
    """Something that a rank printed. `kind` is progress, failure, consequence, or last for its last entry with a time.

    `at_s` is the time in seconds since the earliest mark of all ranks; None if no time was printed.
    """

    kind: str
    says: str
    at_s: float | None
    source: str
    line: int


class RankRow(NamedTuple):
    """What one of several ranks did at the end: its marks in the order progress, failures and consequences, last."""

    rank: int
    host: str | None = None
    at_fault: bool = False
    marks: tuple[Mark, ...] = ()


class Noise(NamedTuple):
    """A harmless message that looks alarming."""

    signature: str
    seen: int
    says: str


class NearMiss(NamedTuple):
    """A known message that an unexplained line resembles; `distance` is 0 (same) to 1 (unrelated)."""

    signature: str
    title: str
    distance: float


class FactValue(NamedTuple):
    """A fact as the report shows it: formatted, with the place where it was read."""

    value: object
    source: str | None = None
    line: int | None = None
    shown: str = ""


class Machine(NamedTuple):
    """What was learned besides the log: when and where (`looked`), how the job ended, and changes over time."""

    looked: str
    ended: str = ""
    series: tuple[Series, ...] = ()


class Mask(NamedTuple):
    """A placeholder in a report: what it hides, and how often it occurs."""

    mask: str
    says: str
    seen: int


class NewLine(NamedTuple):
    """A line that a good run did not print; `line` counts from 1."""

    source: str
    line: int
    text: str


class Report(NamedTuple):
    """The answer for one input. `outcome` is failed, completed, stopped, running or unknown.

    `attempts` are the other failed ones, oldest first. `logs` is None if no log is known to be missing. `machine` is
    None if only the log was read, `masked` if nothing was redacted, `new` if no good run was compared. `empty` means
    that the logs hold no text.
    """

    outcome: str
    diagnoses: tuple[Diagnosis, ...] = ()
    progress: Progress | None = None
    rerun: Rerun | None = None
    culprits: tuple[Culprit, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    ranks: tuple[RankRow, ...] = ()
    logs: Coverage | None = None
    noise: tuple[Noise, ...] = ()
    without_gpu: tuple[Evidence, ...] = ()
    facts: Mapping[str, FactValue] = MappingProxyType({})
    unexplained: tuple[Evidence, ...] = ()
    near: tuple[NearMiss, ...] = ()
    machine: Machine | None = None
    inputs: tuple[str, ...] = ()
    bytes_read: int = 0
    lines_read: int = 0
    masked: tuple[Mask, ...] | None = None
    new: tuple[NewLine, ...] | None = None
    empty: bool = False
