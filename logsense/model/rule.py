"""A rule: arguments from findings and facts for a cause. Conditions are a closed set; nothing is evaluated as code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.util.noun import NamedTuple

NO_RISK, NEEDS_ADMIN, STOPS_OTHERS = "none", "needs-admin", "stops-others"
# Several may be joined by a comma; the last three reach beyond the failed run.
RISKS = (NO_RISK, "restart", "changes-training", NEEDS_ADMIN, "data-loss", STOPS_OTHERS, "reboots")
GRAVE = frozenset(("data-loss", STOPS_OTHERS, "reboots"))
UNKNOWN = "unknown"  # the cause of a failure that no known message explains; no diagnosis names it
VERDICTS = ("fix-first", "retry", "other-node")
CLASSES = ("deterministic", "data", "chance", "machine")
# The words for how strongly an argument speaks for a cause, and for what evidence adds; as log-odds.
STRENGTHS = {"states": 7.0, "shows": 6.0, "points_to": 5.0, "suggests": 3.5, "allows": 2.0}
ADDITIONS = {"confirms": 2.5, "supports": 1.0, "doubts": -1.0, "weakens": -3.0, "excludes": -6.0}
EXPECTATIONS = ("first", "listed", "silent")
# Where a fix stands: a cause's before those of messages, a message's behind those of the cause; a cause's where no
# other fix is.
FIX_FIRST, FIX_LAST, FIX_ALONE = FIX_PLACES = ("first", "last", "alone")


class Comparison(NamedTuple):
    """`operator` applied to a value and `operand`; a number is multiplied by `times` first."""

    operator: str
    operand: object
    times: float = 1.0


class Found(NamedTuple):
    """Any of these signatures was found, at least `times` times, with slots that compare so."""

    ids: tuple[str, ...]
    where: tuple[tuple[str, tuple[Comparison, ...]], ...] = ()
    times: int = 1


class NotFound(NamedTuple):
    """None of these signatures was found."""

    ids: tuple[str, ...]


class FactIs(NamedTuple):
    """The fact is known and compares so."""

    name: str
    tests: tuple[Comparison, ...]


class Before(NamedTuple):
    """One of the first signatures was found before one of the second."""

    first: tuple[str, ...]
    second: tuple[str, ...]


class EndsAfter(NamedTuple):
    """The last thing the log says is one of these messages."""

    ids: tuple[str, ...]


class InFrame(NamedTuple):
    """The anchor's traceback passes through a file whose path contains, or a function that is, one of these."""

    texts: tuple[str, ...]


class FrameworkIs(NamedTuple):
    """One of these frameworks is in use."""

    names: tuple[str, ...]


class Combined(NamedTuple):
    """`how` is any, all or none of `parts`."""

    how: str
    parts: tuple[Condition, ...]


Condition = Found | NotFound | FactIs | Before | EndsAfter | InFrame | FrameworkIs | Combined
# For each key of rules/_applies.yaml, the words of which one must hold.
Applies = tuple[tuple[str, tuple[str, ...]], ...]
# The words of each key, with the conditions that show them.
Settings = dict[str, dict[str, tuple[Condition, ...]]]
# Holds never: stands for conditions that need what was not seen.
NEVER: tuple[Condition, ...] = (Combined("any", ()),)


class Text(NamedTuple):
    """Wordings, best first; the first whose conditions hold and whose placeholders are all known is used."""

    variants: tuple[tuple[tuple[Condition, ...], str], ...] = ()


class Argument(NamedTuple):
    """One way to recognise the cause: all of `when` must hold.

    One of `effect_only` shows the cause's effect and not the cause: it proves little, however alone it stands.
    """

    id: str
    when: tuple[Condition, ...]
    weight: float
    says: Text
    explain: Text
    effect_only: bool = False
    title: Text = Text()


class EvidenceRule(NamedTuple):
    """Something that adds to the cause's weight, or takes from it."""

    when: tuple[Condition, ...]
    weight: float
    says: Text


class FixRule(NamedTuple):
    """A fix that is offered where `when` holds and the run's setting is one that it `applies` to.

    One with `otherwise` is offered instead of those before it, where they are not. One that is the `last` hides those
    after it. `of` is the message that it belongs to, or "", and `place` one of FIX_PLACES, or "".
    """

    do: Text
    run: Text
    why: Text
    risk: str
    when: tuple[Condition, ...] = ()
    last: bool = False
    of: str = ""
    place: str = ""
    applies: Applies = ()
    otherwise: bool = False


class CheckRule(NamedTuple):
    """A check that would decide, offered where `when` holds and the run's setting is one that it `applies` to.

    One with `otherwise` is offered instead of those before it, where they are not. One that is the `last` hides those
    after it. `of` is the message that it belongs to, or "".
    """

    do: Text
    run: Text
    when: tuple[Condition, ...] = ()
    last: bool = False
    of: str = ""
    applies: Applies = ()
    otherwise: bool = False


class RerunRule(NamedTuple):
    """What running again means where `when` holds: the class of the failure, and a verdict and reason of its own.

    Where it has no verdict or reason, those of its class count.
    """

    kind: str
    verdict: str
    why: Text
    when: tuple[Condition, ...] = ()


class Phase(NamedTuple):
    """A part of a run, where `when` holds, and the words for it."""

    name: str
    says: str
    when: tuple[Condition, ...]


class Example(NamedTuple):
    """A whole little log and what the cause must do on it: be first, be listed, or stay silent."""

    name: str
    log: str
    cause: str
    expect: str = "first"


class Rule(NamedTuple):
    """Everything that is known about one cause.

    `restates` says that it adds little to the message that is there, `titled_by_argument` that what an argument says is
    a better headline than the last of the cause's own.
    """

    cause: str
    title: Text
    arguments: tuple[Argument, ...]
    evidence: tuple[EvidenceRule, ...]
    explain: Text
    fixes: tuple[FixRule, ...]
    decide: tuple[CheckRule, ...]
    rerun: tuple[RerunRule, ...] = ()
    references: tuple[str, ...] = ()
    restates: bool = False
    titled_by_argument: bool = False


class FactSpec(NamedTuple):
    """What a fact's name means: its type, a title, and how it is worked out when nothing states it.

    One that is `own` is about a single message: only who looks at it from the entry that states it knows it. Where
    `zero_is_unknown`, programs print 0 for what they could not read.
    """

    name: str
    type: str
    title: str = ""
    derive: tuple[str, tuple[object, ...]] | None = None
    lookup: Lookup | None = None
    own: bool = False
    zero_is_unknown: bool = False


class Lookup(NamedTuple):
    """The row of `table` whose columns `match` the facts `where`.

    They are equal; or, `at_most`, the greatest not above; or, `release`, the newest that begins as they do or that they
    begin with; or, `within`, a part of them, of which the first counts. `newer` asks only whether the table ends before
    them.
    """

    table: str
    where: tuple[tuple[str, str], ...]
    give: str
    match: str = "equal"


class Table(NamedTuple):
    """Rows of facts with their sources. `columns` maps each column's name to its type.

    `known_until` maps columns of versions to the newest one that the table covers.
    """

    name: str
    title: str
    dated: str
    source: str
    columns: dict[str, str]
    rows: tuple[dict[str, object], ...] = ()
    known_until: Mapping[str, str] = MappingProxyType({})
