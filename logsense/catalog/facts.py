"""Decodes the files of rules/_facts/, and packs what they say."""

from __future__ import annotations

from logsense.catalog.decoder import Fields, Problems
from logsense.model.rule import FactSpec, Lookup
from logsense.model.values import FACT_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DERIVATIONS = ("sum", "difference", "product", "ratio", "max", "min", "first")


def decode_facts(data: object, problems: Problems) -> dict[str, FactSpec]:
    """The facts listed in `data`, the content of one file of rules/_facts/."""
    found: dict[str, FactSpec] = {}
    for name, item in (data if isinstance(data, dict) else {}).items():
        fields = Fields(item, (name,), problems)
        kind = fields.one_of("type", FACT_TYPES, "text")
        title = fields.text("title")
        own = fields.get("own", bool, False)
        zero_is_unknown = fields.get("zero_is_unknown", bool, False)
        derive, lookup = None, None
        if "derive" in fields:
            inner = Fields(fields.raw("derive"), fields.path("derive"), problems)
            derive, lookup = _derivation(inner)
            inner.close()
        fields.close()
        found[str(name)] = FactSpec(str(name), kind, title, derive, lookup, own, zero_is_unknown)
    return found


def _derivation(fields: Fields) -> tuple[tuple[str, tuple[object, ...]] | None, Lookup | None]:
    if "lookup" in fields:
        where = fields.get("where", dict, {}, required=True)
        match = fields.one_of("match", ("equal", "exactly", "dotted", "at_most", "release", "within"), "equal")
        pairs = tuple((str(column), str(fact)) for column, fact in where.items())
        return None, Lookup(fields.text("lookup"), pairs, fields.text("give", required=True), match)
    for how in DERIVATIONS:
        if how in fields:
            operands = fields.raw(how)
            return (how, tuple(operands) if isinstance(operands, list) else (operands,)), None
    fields.problem("", f"derive has one of {', '.join(DERIVATIONS)}, lookup")
    return None, None


def pack_facts(facts: dict[str, FactSpec]) -> list[Any]:
    """The facts as plain data, quick to unpack."""
    return [list(spec) for spec in facts.values()]


def unpack_facts(data: list[Any]) -> dict[str, FactSpec]:
    """The facts that `pack_facts` packed."""
    return {spec.name: spec for spec in map(_unpacked, data)}


def _unpacked(item: list[Any]) -> FactSpec:
    name, kind, title, derive, lookup, own, zero_is_unknown = item
    if derive:
        derive = (derive[0], tuple(derive[1]))
    if lookup:
        table, where, give, match = lookup
        lookup = Lookup(table, tuple(map(tuple, where)), give, match)
    return FactSpec(name, kind, title, derive, lookup, own, zero_is_unknown)
