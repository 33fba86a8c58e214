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


def pack_brief(rule: Rule, stated_only: Collection[str], ids: Sequence[str]) -> dict[str, Any]:
    """The brief of `rule` as plain data; `ids` are those of all signatures, which go by their numbers in it.

    `stated_only` are the facts that are known only where a message or the machine states them.
    """
    numbers = {one: number for number, one in enumerate(ids)}

    def group(names: Sequence[str]) -> list[str | int]:
        known = {numbers[name] for one in names for name in expanded(one, ids) if name in numbers}
        return [*sorted(known), *(name for name in names if name.startswith(FACT))]

    def part(when: tuple[Condition, ...], weight: float) -> list[Any]:
        return [[group(names) for names in needs(when, stated_only)], pack_conditions(when), weight]

    return {
        "cause": rule.cause,
        "arguments": [[*part(one.when, one.weight), one.id] for one in rule.arguments],
        "evidence": [part(one.when, one.weight) for one in rule.evidence],
    }


def unpack_brief(
    data: dict[str, Any], seen: frozenset[str | int] | None, kept: dict[int, tuple[Condition, ...]]
) -> Rule | None:
    """The rule of which `pack_brief` made `data`, without texts.

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

    arguments = tuple(Argument(part[3], when(part), part[2], nothing, nothing) for part in data["arguments"])
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
