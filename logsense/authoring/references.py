"""Check what rules and facts refer to: signatures, facts, tables and placeholders that exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from logsense.advise.wording import PLACEHOLDER
from logsense.catalog.decode import Path, Problems, decode_facts
from logsense.catalog.signatures import signature_slots
from logsense.facts.facts import ENGINE_FACTS
from logsense.facts.tables import NEAREST
from logsense.model.knowledge import Catalog
from logsense.model.rule import Before, Combined, Condition, EndsAfter, Found, Rule

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TEXT_KEYS = ("title", "explain", "says", "do", "run", "why", "text")


def check_references(data: object, rules: Iterable[Rule], catalog: Catalog, problems: Problems) -> None:
    """Note every signature, fact or placeholder in `data` that does not exist; `rules` are those that it speaks for."""
    facts = set(catalog.facts()) | set(ENGINE_FACTS)
    slots: set[str] | None = None
    for path, value in walk(data):
        if not path or "examples" in path:
            continue
        key = path[-1]
        if key in ("found", "not_found", "ends_after") or (len(path) > 1 and path[-2] == "before"):
            for item in value if isinstance(value, list) else (value,):
                if not isinstance(item, list) and not any(map(catalog.find, catalog.expand((str(item),)))):
                    now = catalog.renamed.get(str(item))
                    problems.add(path, f"{item} is now called {now}" if now else f"there is no signature {item}")
        elif key == "fact" and str(value) not in facts:
            problems.add(path, f"there is no fact {value}")
        elif isinstance(value, dict) and "found" in value and isinstance(value.get("where"), dict):
            _check_where(path, value["found"], value["where"], catalog, problems)
        elif key in _TEXT_KEYS or (len(path) > 1 and path[-2] in _TEXT_KEYS):
            text = value if isinstance(value, str) else ""
            if _CONTROL.search(text):
                problems.add(path, "holds a control character; a backslash between double quotes is written twice")
            for name in PLACEHOLDER.findall(text):
                if name in facts:
                    continue
                slots = _anchor_slots(rules, catalog) if slots is None else slots
                if name.removeprefix("anchor.") not in slots:
                    problems.add(path, f"{{{name}}} is neither a fact nor a slot of an anchor")


def check_facts(data: object, catalog: Catalog, problems: Problems) -> None:
    """Note every fact or table that the derivations in a file of rules/_facts/ name but that does not exist."""
    known = set(catalog.facts()) | set(ENGINE_FACTS)
    for name, spec in decode_facts(data, Problems()).items():
        for operand in spec.derive[1] if spec.derive else ():
            if isinstance(operand, str) and "." in operand and operand not in known and not operand[0].isdigit():
                problems.add((name, "derive"), f"there is no fact {operand}")
        if spec.lookup:
            table = catalog.table(spec.lookup.table)
            if table is None:
                problems.add((name, "derive"), f"there is no table {spec.lookup.table}")
                continue
            for column in filter(None, (*(column for column, _ in spec.lookup.where), spec.lookup.give)):
                if column not in table.columns:
                    problems.add((name, "derive"), f"{table.name} has no column {column}")
            for column, fact in spec.lookup.where:
                ordered = spec.lookup.match in NEAREST and table.columns.get(column) == "version"
                if ordered and column not in table.known_until:
                    problems.add((name, "derive"), f"{table.name} does not say up to which {column} it is known_until")
                if fact not in known:
                    problems.add((name, "derive"), f"there is no fact {fact}")


def _check_where(path: Path, found: object, where: dict[object, object], catalog: Catalog, problems: Problems) -> None:
    ids = catalog.expand(tuple(map(str, found if isinstance(found, list) else [found])))
    slots = _slots_of(ids, catalog)
    for name in where:
        if slots and str(name) not in slots:
            problems.add((*path, "where", str(name)), f"{found} has no slot {name}, so this never holds")


def _anchor_slots(rules: Iterable[Rule], catalog: Catalog) -> set[str]:
    """Return the slots of all signatures that may carry one of `rules`."""
    asked = (ids_asked(item.when) for rule in rules for item in rule.arguments)
    return _slots_of(catalog.expand(tuple(chain.from_iterable(asked))), catalog)


def _slots_of(ids: Iterable[str], catalog: Catalog) -> set[str]:
    return {slot for signature in map(catalog.find, ids) if signature for slot in signature_slots(signature)}


def ids_asked(conditions: Iterable[Condition]) -> Iterator[str]:
    """Yield the ids of the messages that conditions require, with `*` as written."""
    for one in conditions:
        if isinstance(one, (Found, EndsAfter)):
            yield from one.ids
        elif isinstance(one, Before):
            yield from (*one.first, *one.second)
        elif isinstance(one, Combined) and one.how != "none":
            yield from ids_asked(one.parts)


def walk(data: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Yield every value in `data`, the content of a file, with its path."""
    yield path, data
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from walk(value, (*path, key))
