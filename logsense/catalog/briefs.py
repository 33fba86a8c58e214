"""What scoring needs of a rule, packed: of each part what must have been seen, its conditions and its weight.

The texts of a rule are most of it, and are wanted only of the few that are shown.
"""

from __future__ import annotations

from logsense.catalog.conditions import pack_conditions, unpack_conditions
from logsense.catalog.needs import FACT, expanded, may_hold, needs
from logsense.model.rule import Argument, Combined, Condition, EvidenceRule, Rule, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

# Holds never: stands for conditions that need what was not seen.
NEVER: tuple[Condition, ...] = (Combined("any", ()),)


class Briefs:
    """Packs the briefs of rules; `ids` are those of all signatures, which go by their numbers in it.

    `stated_only` are the facts that are known only where a message or the machine states them.
    """

    def __init__(self, ids: Sequence[str], stated_only: Collection[str]) -> None:
        self._ids, self._stated_only = ids, stated_only
        self._numbers: dict[str, tuple[int, ...]] = {one: (number,) for number, one in enumerate(ids)}

    def pack(self, rule: Rule) -> dict[str, Any]:
        """The brief of `rule` as plain data."""
        return {
            "cause": rule.cause,
            "arguments": [[*self._part(one.when, one.weight), one.id] for one in rule.arguments],
            "evidence": [self._part(one.when, one.weight) for one in rule.evidence],
        }

    def _part(self, when: tuple[Condition, ...], weight: float) -> list[Any]:
        return [[self._group(names) for names in needs(when, self._stated_only)], pack_conditions(when), weight]

    def _group(self, names: Sequence[str]) -> list[str | int]:
        known = {number for name in names for number in self._numbers_of(name)}
        return [*sorted(known), *(name for name in names if name.startswith(FACT))]

    def _numbers_of(self, name: str) -> tuple[int, ...]:
        if name not in self._numbers and "*" in name:
            self._numbers[name] = tuple(self._numbers[one][0] for one in expanded(name, self._ids))
        return self._numbers.get(name, ())


def unpack_brief(
    data: dict[str, Any], seen: frozenset[str | int] | None, kept: dict[int, tuple[Condition, ...]]
) -> Rule | None:
    """The rule of which `Briefs` made `data`, without texts.

    With `seen` (numbers of signatures, and names of facts behind a mark), only the conditions that could hold are
    unpacked; None where no argument could. `kept` takes what was unpacked, for the next time that the same `data` is
    asked for.
    """
    nothing = Text()

    def when(part: list[Any]) -> tuple[Condition, ...]:
        if seen is not None and not may_hold(part[0], seen):
            return NEVER
        if id(part) not in kept:
            kept[id(part)] = unpack_conditions(part[1])
        return kept[id(part)]

    arguments = tuple(
        Argument(part[3], when(part), part[2], nothing, nothing, 1.0, nothing) for part in data["arguments"]
    )
    if all(argument.when is NEVER for argument in arguments):
        return None
    return Rule(
        cause=data["cause"],
        title=nothing,
        arguments=arguments,
        evidence=tuple(EvidenceRule(when(part), part[2], nothing) for part in data["evidence"]),
        explain=nothing,
        fixes=(),
        decide=(),
    )
