"""Decodes the files of rules/_systems/, what shows a system in a log and how it takes commands; packs what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from logsense.catalog.decode import Fields, Path, Problems
from logsense.model.system import KINDS, MACHINE, Commands, Filter, Rewrite, Sign, System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = "name", "value"


def decode_system(data: object, problems: Problems) -> System | None:
    """The system in `data`, the content of one file; None where its problems leave nothing usable."""
    before = len(problems.found)
    fields = Fields(data, (), problems)
    signs = tuple(_sign(item, path, problems) for path, item in fields.items("signs", required=True))
    names = tuple(_sign(item, path, problems) for path, item in fields.items("names"))
    system = System(
        name=fields.text("system", required=True),
        title=fields.text("title", required=True),
        signs=signs,
        found=fields.texts("found"),
        certain=fields.get("certain", bool, False),
        usual=fields.get("usual", bool, False),
        commands=_commands(fields.raw("commands"), problems) if "commands" in fields else None,
        kind=fields.one_of("kind", KINDS, MACHINE),
        names=names,
    )
    fields.texts("source", required=True)
    fields.text("commands_of")
    fields.raw("examples")
    fields.close()
    return system if len(problems.found) == before else None


def pack_system(system: System, commands_of: str) -> list[Any]:
    """The system as plain data, quick to unpack; it may take commands as the one named `commands_of` does."""
    commands = system.commands and system.commands._replace(
        lacks=sorted(system.commands.lacks),  # type: ignore[arg-type]
        knows=sorted(system.commands.knows),  # type: ignore[arg-type]
        drops=sorted(system.commands.drops),  # type: ignore[arg-type]
    )
    return [*system._replace(commands=commands), commands_of]


def unpack_systems(packed: Iterable[list[Any]]) -> dict[str, System]:
    """The systems that `pack_system` packed, by name, after a journey as JSON."""
    systems, shared = {}, {}
    for *fields, commands_of in packed:
        name, title, signs, found, certain, usual, commands, timed, kind, names = fields
        signs, names = (tuple(Sign(tuple(holds), pattern) for holds, pattern in each) for each in (signs, names))
        systems[name] = System(
            name, title, signs, tuple(found), certain, usual, commands and _unpacked(commands), timed, kind, names
        )
        shared[name] = commands_of
    for name, other in shared.items():
        if other in systems:
            systems[name] = systems[name]._replace(commands=systems[other].commands)
    return systems


def _unpacked(fields: list[Any]) -> Commands:
    apart, lacks, count_matches, drops, without, rewrites, filters, *forms, begins = fields
    values = [apart, frozenset(lacks), frozenset(count_matches), frozenset(drops), tuple(without)]
    values += [tuple(Rewrite(*one) for one in rewrites)]
    values += [tuple(Filter(*one) for one in filters), *forms, tuple(Rewrite(*one) for one in begins)]
    return Commands(*values)


def _sign(item: object, path: Path, problems: Problems) -> Sign:
    fields = Fields(item, path, problems)
    sign = Sign(fields.texts("holds", required=True), _regex(fields, "pattern", required=True))
    fields.texts("samples")
    fields.texts("near_misses")
    fields.close()
    return sign


def _commands(data: object, problems: Problems) -> Commands:
    fields = Fields(data, ("commands",), problems)
    commands = Commands(
        apart=fields.get("apart", bool, False),
        lacks=frozenset(fields.texts("lacks")),
        knows=frozenset(fields.texts("knows")),
        drops=frozenset(fields.texts("drops")),
        without=fields.texts("without"),
        rewrites=_rewrites(fields, "rewrites", problems),
        filters=tuple(_filter(item, path, problems) for path, item in fields.items("filters")),
        sets=_form(fields, "sets"),
        sets_quoted=_form(fields, "sets_quoted"),
        unsets=_form(fields, "unsets"),
        before_sets=fields.text("before_sets"),
        unsafe=_regex(fields, "unsafe"),
        foreign=_regex(fields, "foreign"),
        as_is=_regex(fields, "as_is"),
        begins=_rewrites(fields, "begins", problems),
    )
    fields.close()
    return commands


def _rewrites(fields: Fields, key: str, problems: Problems) -> tuple[Rewrite, ...]:
    found = []
    for path, item in fields.items(key):
        inner = Fields(item, path, problems)
        rewrite = Rewrite(_regex(inner, "match", required=True), inner.text("put"))
        try:
            re.sub(f"(?:{rewrite.pattern})?", rewrite.put, "")
        except (re.error, IndexError) as error:
            inner.problem("put", f"can't take the place of what matches: {error}")
        inner.close()
        found.append(rewrite)
    return tuple(found)


def _filter(item: object, path: Path, problems: Problems) -> Filter:
    fields = Fields(item, path, problems)
    flags = {str(key): str(value) for key, value in fields.get("flags", dict, {}).items()}
    found = Filter(
        fields.text("program", required=True),
        fields.text("options"),
        flags,
        fields.text("between", "|"),
        _form(fields, "put", ("flags", "words")),
    )
    fields.close()
    return found


def _form(fields: Fields, key: str, names: tuple[str, ...] = NAMES) -> str:
    """A text with places for `names`."""
    text = fields.text(key)
    try:
        text.format(**dict.fromkeys(names, ""))
    except (KeyError, IndexError, ValueError):
        places = " and ".join(f"{{{name}}}" for name in names)
        fields.problem(key, f"{key} may hold {places}, and no other braces")
        return ""
    return text


def _regex(fields: Fields, key: str, *, required: bool = False) -> str:
    text = fields.text(key, required=required)
    try:
        re.compile(text)
    except re.error as error:
        fields.problem(key, f"no regular expression: {error}")
    return text
