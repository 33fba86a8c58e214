"""Decodes the files of rules/_systems/, what shows a system in a log and how it takes commands."""

from __future__ import annotations

import re

from logsense.catalog.decode import Fields, Path, Problems
from logsense.model.system import KINDS, MACHINE, Commands, Filter, Rewrite, Sign, System

NAMES = "name", "value"


def decode_system(data: object, problems: Problems) -> System | None:
    """Return the system in `data`, the content of one file; None if its problems leave nothing usable."""
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
    """Return a text with places for `names`."""
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
