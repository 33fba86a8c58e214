"""Check what messages mean: each part is in the file of the message that decides it, and its fixes can be selected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from logsense.authoring.commands import check_commands
from logsense.authoring.exclusions import check_exclusions
from logsense.authoring.first_fix import check_first_fix
from logsense.authoring.openings import check_openings
from logsense.authoring.references import check_references, ids_asked
from logsense.catalog.decode import Fields, Path, Problems, decoded
from logsense.catalog.meanings import decode_meanings
from logsense.catalog.rules import OFFERED, PARTS
from logsense.catalog.signatures import signature_slots
from logsense.model.knowledge import Catalog
from logsense.model.rule import (
    FIX_ALONE,
    FIX_FIRST,
    FIX_LAST,
    CheckRule,
    Combined,
    Condition,
    FixRule,
    Found,
    Rule,
)
from logsense.model.signature import FIXES_COMPLETE, Signature

_SAID = ("means", "weighs")
NOT_FOR_MESSAGES = {
    FIX_FIRST: "the fixes of a message come first by themselves",
    FIX_ALONE: "only a cause's fix can stand alone",
}


def check_meanings(signature: Signature, data: object, catalog: Catalog, problems: Problems) -> None:
    """Report problems with the meanings of a message with the file content `data`."""
    if not isinstance(data, dict):
        return
    said = {key: data[key] for key in _SAID if key in data}
    whole = Fields(said, (), Problems())
    rules: dict[str, Rule] = {}
    slots = signature_slots(signature)
    for path, item in (one for key in _SAID for one in whole.items(key)):
        if not isinstance(item, dict):
            continue
        cause = str(item.get("cause"))
        rule = catalog.rule(cause)
        if rule is None:
            close = get_close_matches(cause, catalog.causes, n=1)
            meant = f"; did you mean {close[0]}?" if close else ""
            problems.add((*path, "cause"), f"there is no file rules/{cause.replace('.', '/')}.yaml{meant}")
            return  # what the message adds can't be checked without its cause
        rules[cause] = rule
        if path[0] == "means" and not item.keys() <= {"cause", "when", *OFFERED} and "says" not in item:
            problems.add(path, "needs says: a sentence on what this message proves")
        for at, one in _slots_asked(item, path):
            if one not in slots:
                problems.add(at, f"there is no slot {one!r}")
    check_references(said, rules.values(), catalog, problems)
    offered = list(_offered(whole))
    check_commands(offered, catalog, problems)
    check_exclusions(signature.id, offered, problems)
    check_openings(signature.id, offered, catalog, problems)
    check_selection(whole.items("means"), catalog, problems)
    check_first_fix(signature, data, catalog, problems)
    own = [(path, item.get("fixes")) for path, item in whole.items("means") if isinstance(item, dict)]
    if signature.fixes_complete and not any(fixes for _, fixes in own) and not _has_fix(signature.id, catalog):
        problems.add(("fixes",), f"{FIXES_COMPLETE}, but the message has none")
    for path, fixes in own:
        last = fixes[-1] if isinstance(fixes, list) and fixes else None
        if isinstance(last, dict) and "last" in last and not last.keys() & {"when", "applies"}:
            problems.add((*path, "fixes"), f"its list ends here anyway; write fixes: {FIXES_COMPLETE} for the message")
    for at, part in _parts(signature.id, said):
        others = sorted(set(ids_asked(part.when)) - {signature.id})
        if others:
            problems.add(at, f"asks for {', '.join(others)}, too, so it belongs in the file of the cause")
        if isinstance(part, FixRule) and part.place in NOT_FOR_MESSAGES:
            problems.add(at, NOT_FOR_MESSAGES[part.place])


def check_cause(rule: Rule, catalog: Catalog, problems: Problems) -> None:
    """Report each part of `rule`, as in its own file, that a single message decides."""
    for key in PARTS:
        for number, part in enumerate(getattr(rule, key)):
            one = _decider(part.when)
            if catalog.find(one):
                problems.add(
                    (key, number), f"{one} alone decides it, so it belongs in corpus/{one.replace('.', '/', 1)}.yaml"
                )
            if isinstance(part, FixRule) and part.place == FIX_LAST:
                problems.add((key, number, "place"), "the fixes of a cause come last by themselves")


def offered_by(rule: Rule) -> Iterator[tuple[Path, FixRule | CheckRule]]:
    """Yield the fixes and checks of `rule`, each with its path."""
    for key in OFFERED:
        yield from (((key, number), item) for number, item in enumerate(getattr(rule, key)))


def _offered(whole: Fields) -> Iterator[tuple[Path, FixRule | CheckRule]]:
    for path, item in whole.items("means"):
        for key in OFFERED if isinstance(item, dict) else ():
            for at, one in Fields(item, path, Problems()).items(key):
                yield at, decoded(one, at, Problems(), PARTS[key])


def _has_fix(message: str, catalog: Catalog) -> bool:
    """Return whether a cause of `message` has a fix that asks for it."""
    causes = filter(None, map(catalog.rule, catalog.causes_of().get(message, ())))
    return any(message in catalog.expand((*ids_asked(fix.when),)) for rule in causes for fix in rule.fixes)


def _parts(of: str, said: dict[str, object]) -> Iterator[tuple[Path, Any]]:
    """Yield the parts that a message adds, each with the path of its item."""
    for key in _SAID:
        for path, item in Fields(said, (), Problems()).items(key):
            for added in decode_meanings(of, {key: item}, Problems()).values():
                for name, items in added.items():
                    yield from ((path, decoded(one, (), Problems(), PARTS[name])) for one in items)


def _slots_asked(item: dict[str, object], path: Path) -> Iterator[tuple[Path, str]]:
    whole = Fields(item, path, Problems())
    for at, one in whole.items("when"):
        if isinstance(one, dict) and "slot" in one:
            yield at, str(one["slot"])
    for key in OFFERED:
        for at, one in whole.items(key):
            if isinstance(one, dict):
                yield from _slots_asked({"when": one.get("when")}, at)


def _decider(conditions: tuple[Condition, ...]) -> str:
    """Return the only message that `conditions` require, or ""."""
    asked = {*ids_asked(conditions)}
    one = asked.pop() if len(asked) == 1 else ""
    return one if any(_needs(condition, one) for condition in conditions) else ""


def _needs(condition: Condition, one: str) -> bool:
    if isinstance(condition, Combined) and condition.how != "none":
        return (all if condition.how == "any" else any)(_needs(part, one) for part in condition.parts)
    return isinstance(condition, Found) and condition.ids == (one,)


def check_selection(parts: Iterable[tuple[Path, Any]], catalog: Catalog, problems: Problems) -> None:
    """Report fixes and checks of `parts`, cause files or meanings, that can't be selected as written."""
    for path, part in parts:
        for key in OFFERED if isinstance(part, dict) else ():
            for number, (at, item) in enumerate(Fields(part, path, Problems()).items(key)):
                if isinstance(item, dict):
                    _check_applies(Fields(item, at, problems), catalog)
                    if item.get("otherwise") and number == 0:
                        problems.add((*at, "otherwise"), "there is none before it that it could replace")


def _check_applies(item: Fields, catalog: Catalog) -> None:
    settings, applies = catalog.settings(), item.raw("applies")
    if not isinstance(applies, dict):
        return
    asked = Fields(applies, item.path("applies"), item.problems)
    for key in applies:
        if key not in settings:
            asked.problem(key, f"{key} is none of {', '.join(settings)}")
            continue
        for _, word in asked.items(key):
            if word not in settings[key]:
                asked.problem(key, f"{word} is none of {', '.join(settings[key])}")
