"""Which facts could be worked out at all from those that are stated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from logsense.model.rule import FactSpec


def derivable(specs: Mapping[str, FactSpec], stated: Iterable[str], names: Collection[str]) -> frozenset[str]:
    """The names in `stated`, and of the facts that could be worked out from them. An operand is a fact where it is one
    of `names`, and a value anywhere else."""
    known = set(stated)
    waiting = {name: _asked(spec, names) for name, spec in specs.items() if spec.derive or spec.lookup}
    while found := [name for name, (some, asked) in waiting.items() if some(one in known for one in asked)]:
        known.update(found)
        for name in found:
            del waiting[name]
    return frozenset(known)


def _asked(spec: FactSpec, names: Collection[str]) -> tuple[Callable[[Iterable[bool]], bool], list[str]]:
    """The facts that `spec` is worked out from, and whether that takes `any` or `all` of them."""
    if spec.lookup:
        return all, [name for _, name in spec.lookup.where]
    how, operands = spec.derive or ("", ())
    facts = [one for one in operands if isinstance(one, str) and one in names]
    if how != "first":
        return all, facts
    return (any, facts) if len(facts) == len(operands) else (all, [])
