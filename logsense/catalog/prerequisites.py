"""Determine what must have been seen for conditions to hold at all, so that a run reads few of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from logsense.model.rule import Combined, Condition, EndsAfter, FactIs, Found

# Marks the name of a fact among the ids of signatures.
FACT = "="


def expanded(one: str, ids: Sequence[str]) -> list[str]:
    """Return the ids that match `one`, which may contain a `*`."""
    head, star, tail = one.partition("*")
    return [name for name in ids if name.startswith(head) and name.endswith(tail)] if star else [one]


def required(conditions: tuple[Condition, ...]) -> Iterator[str]:
    """Yield the signature ids that conditions ask for, except below `none`."""
    for condition in conditions:
        if isinstance(condition, (Found, EndsAfter)):
            yield from condition.ids
        elif isinstance(condition, Combined) and condition.how != "none":
            yield from required(condition.parts)


def prerequisites(conditions: tuple[Condition, ...], stated_only: Collection[str]) -> list[set[str]]:
    """Return groups of signature ids and names of facts: of each group at least one must have been seen.

    `stated_only` are the facts that are known only if a message or the machine states them.
    """
    return [group for condition in conditions for group in _groups(condition, stated_only)]


def _groups(condition: Condition, stated_only: Collection[str]) -> Iterator[set[str]]:
    if isinstance(condition, (Found, EndsAfter)):
        yield set(condition.ids)
    elif isinstance(condition, FactIs):
        allows_unknown = any(test.operator == "known" and not test.operand for test in condition.tests)
        if condition.name in stated_only and not allows_unknown:
            yield {FACT + condition.name}
    elif isinstance(condition, Combined) and condition.how == "all":
        for part in condition.parts:
            yield from _groups(part, stated_only)
    elif isinstance(condition, Combined) and condition.how == "any":
        each = [min(_groups(part, stated_only), key=len, default=None) for part in condition.parts]
        if each and all(each):
            yield set().union(*(group for group in each if group))
