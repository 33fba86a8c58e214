"""Decode what a message means: the arguments, evidence, fixes and checks that it adds to causes."""

from __future__ import annotations

from typing import Any

from logsense.catalog.decode import Fields, Path, Problems, decoded
from logsense.catalog.rules import OFFERED, PARTS

# cause → part of its rule → items, as they would be written in the cause's file
Meanings = dict[str, dict[str, list[dict[str, Any]]]]

_COUNT = "times_seen"


def decode_meanings(of: str, data: object, problems: Problems) -> Meanings:
    """Return what the message `of`, with the file content `data`, adds to causes; skip what has problems."""
    found: Meanings = {}
    whole = Fields(data, (), Problems())
    for path, item in whole.items("means"):
        fields = Fields(item, path, problems)
        cause, when = fields.text("cause", required=True), _listed(fields.raw("when"))
        if not isinstance(item, dict):
            continue
        parts = found.setdefault(cause, {key: [] for key in PARTS})
        for key in OFFERED:
            for at, one in fields.items(key):
                inner = _listed(one.get("when")) if isinstance(one, dict) else []
                _add(of, one, [*when, *inner], at, parts[key], PARTS[key], problems)
        argument = {key: value for key, value in item.items() if key not in ("cause", *OFFERED)}
        if argument.keys() - {"when"}:
            _add(of, argument, when, path, parts["arguments"], PARTS["arguments"], problems)
        elif not any(key in item for key in OFFERED):
            problems.add(path, "says nothing: it needs a strength, fixes or decide")
    for path, item in whole.items("weighs"):
        fields = Fields(item, path, problems)
        cause, when = fields.text("cause", required=True), _listed(fields.raw("when"))
        if isinstance(item, dict):
            parts = found.setdefault(cause, {key: [] for key in PARTS})
            evidence = {key: value for key, value in item.items() if key != "cause"}
            _add(of, evidence, when, path, parts["evidence"], PARTS["evidence"], problems)
    return found


def _add(
    of: str, item: object, when: list[Any], path: Path, to: list[dict[str, Any]], decode: Any, problems: Problems
) -> None:
    """Add `item`, on condition of the message and `when`, to the items `to`, unless it can't be decoded."""
    if not isinstance(item, dict):
        problems.add(path, "must be a mapping")
        return
    before = len(problems.found)
    whole = {**item, "when": _on_message(of, when, path, problems)}
    decoded(whole, path, problems, decode)
    if len(problems.found) == before:
        to.append(whole)


def _on_message(of: str, when: list[Any], path: Path, problems: Problems) -> list[Any]:
    """Return the conditions `when` of the message `of`, with those on its slots and count as one on the message."""
    where: dict[str, dict[str, object]] = {}
    found: dict[str, Any] = {"found": of}
    others = []
    for one in when:
        if isinstance(one, dict) and "slot" in one:
            tests = {key: value for key, value in one.items() if key != "slot"}
            known = where.setdefault(str(one["slot"]), {})
            if known.keys() & tests.keys():
                problems.add((*path, "when"), f"the slot {one['slot']} is compared in the same way twice")
            known.update(tests)
        elif isinstance(one, dict) and one.keys() == {_COUNT}:
            found["times"] = one[_COUNT]
        else:
            others.append(one)
    if where:
        found["where"] = where
    return [found, *others]


def _listed(items: object) -> list[Any]:
    return items if isinstance(items, list) else [] if items is None else [items]
