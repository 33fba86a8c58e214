"""What must have been seen for conditions to hold at all, worked out ahead, so that few conditions are ever decoded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from logsense.model.rule import Combined, Condition, EndsAfter, FactIs, Found

# Marks the name of a fact among the ids of signatures.
FACT = "="


def expanded(one: str, ids: Sequence[str]) -> list[str]:
    """The ids that `one`, which may hold a `*`, stands for."""
    head, star, tail = one.partition("*")
    return [name for name in ids if name.startswith(head) and name.endswith(tail)] if star else [one]


def asked(
    conditions: tuple[Condition, ...], kinds: tuple[type[Found | EndsAfter], ...] = (Found, EndsAfter)
) -> Iterator[str]:
    """The ids that conditions of these kinds ask for, those below `none` left out."""
    for condition in conditions:
        if isinstance(condition, kinds):
            yield from condition.ids
        elif isinstance(condition, Combined) and condition.how != "none":
            yield from asked(condition.parts, kinds)


def prerequisites(conditions: tuple[Condition, ...], stated_only: Collection[str]) -> list[list[str]]:
    """Groups of ids of signatures and names of facts: of each group at least one must have been seen.

    `stated_only` are the facts that are known only where a message or the machine states them.
    """
    return [sorted(group) for condition in conditions for group in _groups(condition, stated_only)]


def may_hold(groups: Iterable[Iterable[str | int]], seen: frozenset[str | int]) -> bool:
    """Whether conditions with these needs could hold where just the ids and facts in `seen` were seen."""
    return all(not seen.isdisjoint(group) for group in groups)


def _groups(condition: Condition, stated_only: Collection[str]) -> Iterator[set[str]]:
    if isinstance(condition, (Found, EndsAfter)):
        yield set(condition.ids)
    elif isinstance(condition, FactIs):
        unknown_will_do = any(test.operator == "known" and not test.operand for test in condition.tests)
        if condition.name in stated_only and not unknown_will_do:
            yield {FACT + condition.name}
    elif isinstance(condition, Combined) and condition.how == "all":
        for part in condition.parts:
            yield from _groups(part, stated_only)
    elif isinstance(condition, Combined) and condition.how == "any":
        each = [min(_groups(part, stated_only), key=len, default=None) for part in condition.parts]
        if each and all(each):
            yield set().union(*(group for group in each if group))
