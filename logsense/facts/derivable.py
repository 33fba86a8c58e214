"""Determines which facts can be derived at all from the stated ones, and computes numbers from numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from logsense.model.rule import FactSpec


def derivable(specs: Mapping[str, FactSpec], stated: Iterable[str], names: Collection[str]) -> frozenset[str]:
    """Return the names in `stated`, and those of facts that can be derived from them.

    An operand that is one of `names` is a fact, any other is a value.
    """
    known = set(stated)
    waiting = {name: _operands(spec, names) for name, spec in specs.items() if spec.derive or spec.lookup}
    while found := [name for name, (some, needed) in waiting.items() if some(one in known for one in needed)]:
        known.update(found)
        for name in found:
            del waiting[name]
    return frozenset(known)


def _operands(spec: FactSpec, names: Collection[str]) -> tuple[Callable[[Iterable[bool]], bool], list[str]]:
    """Return the facts that `spec` is derived from, and whether `any` or `all` of them are required."""
    if spec.lookup:
        return all, [name for _, name in spec.lookup.where]
    how, operands = spec.derive or ("", ())
    facts = [one for one in operands if isinstance(one, str) and one in names]
    if how != "first":
        return all, facts
    return (any, facts) if len(facts) == len(operands) else (all, [])


def arithmetic(how: str, numbers: Sequence[int | float]) -> float | None:
    """Return the result of `how`, such as sum or ratio; None for a ratio by zero, or not of two numbers."""
    if how == "sum":
        return sum(numbers)
    if how == "difference":
        return numbers[0] - sum(numbers[1:])
    if how == "product":
        product = 1.0
        for number in numbers:
            product *= number
        return product
    if how == "ratio":
        return numbers[0] / numbers[1] if len(numbers) == 2 and numbers[1] else None
    return max(numbers) if how == "max" else min(numbers)
