"""A rule: arguments from findings and facts for a cause. Conditions are a closed set; nothing is evaluated as code."""

from __future__ import annotations

from dataclasses import dataclass, field

RISKS = ("none", "restart", "changes-training", "needs-admin", "data-loss")
VERDICTS = ("fix-first", "retry", "other-node")
EXPECTATIONS = ("first", "listed", "silent")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`operator` applied to a value and `operand`, which is a literal or, with `fact`, another fact's name."""

    operator: str
    operand: object
    fact: bool = False
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """Any of these signatures was found, at least `times` times, with slots that compare so."""

    ids: tuple[str, ...]
    where: tuple[tuple[str, tuple[Comparison, ...]], ...] = ()
    times: int = 1


@dataclass(frozen=True, slots=True)
class NotFound:
    """None of these signatures was found."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactIs:
    """The fact is known and compares so."""

    name: str
    tests: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """One of the first signatures was found before one of the second."""

    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndsAfter:
    """The last thing the log says is one of these messages."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InFrame:
    """The anchor's traceback passes through a file whose path contains, or a function that is, one of these."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FrameworkIs:
    """One of these frameworks is in use."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """`how` is any, all or none of `parts`."""

    how: str
    parts: tuple[Condition, ...]


Condition = Found | NotFound | FactIs | Before | EndsAfter | InFrame | FrameworkIs | Combined


@dataclass(frozen=True, slots=True)
class Text:
    """Wordings, best first; the first whose conditions hold and whose placeholders are all known is used."""

    variants: tuple[tuple[tuple[Condition, ...], str], ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """One way to recognise the cause: all of `when` must hold."""

    id: str
    when: tuple[Condition, ...]
    weight: float
    says: Text
    explain: Text


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """Something that adds to the cause's weight, or takes from it."""

    when: tuple[Condition, ...]
    weight: float
    says: Text


@dataclass(frozen=True, slots=True)
class FixRule:
    """A fix that is offered where `when` holds."""

    do: Text
    run: Text
    why: Text
    risk: str
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A check that would decide, offered where `when` holds."""

    do: Text
    run: Text
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A whole little log and what the cause must do on it: be first, be listed, or stay silent."""

    name: str
    log: str
    expect: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Everything that is known about one cause."""

    cause: str
    title: Text
    arguments: tuple[Argument, ...]
    evidence: tuple[EvidenceRule, ...]
    explain: Text
    fixes: tuple[FixRule, ...]
    decide: tuple[CheckRule, ...]
    rerun: str = "fix-first"
    references: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class FactSpec:
    """What a fact's name means: its type, a title, and how it is worked out when nothing states it."""

    name: str
    type: str
    title: str = ""
    derive: tuple[str, tuple[object, ...]] | None = None
    lookup: Lookup | None = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """The row of `table` whose columns equal (or, with `at_most`, are the greatest not above) the facts `where`."""

    table: str
    where: tuple[tuple[str, str], ...]
    give: str
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of facts with their sources. `columns` maps each column's name to its type."""

    name: str
    title: str
    dated: str
    source: str
    columns: dict[str, str]
    rows: tuple[dict[str, object], ...] = field(default=())
