"""Decode the files of rules/_systems/, what shows a system in a log and how it takes commands."""

from __future__ import annotations

import re

from logsense.catalog.decode import Fields, Problems, decoded
from logsense.model.system import KINDS, MACHINE, Commands, Filter, Rewrite, Sign, System

NAMES = "name", "value"


def decode_system(data: object, problems: Problems) -> System | None:
    """Return the system in `data`, the content of one file; None if its problems leave nothing usable."""
    before = len(problems.found)
    system = decoded(data, (), problems, _system)
    return system if len(problems.found) == before else None


def _system(fields: Fields) -> System:
    fields.texts("source", required=True)
    fields.text("commands_of")
    fields.raw("examples")
    return System(
        name=fields.text("system", required=True),
        title=fields.text("title", required=True),
        signs=fields.each("signs", _sign, required=True),
        found=fields.texts("found"),
        certain=fields.get("certain", bool, False),
        usual=fields.get("usual", bool, False),
        commands=decoded(fields.raw("commands"), ("commands",), fields.problems, _commands)
        if "commands" in fields
        else None,
        kind=fields.one_of("kind", KINDS, MACHINE),
        names=fields.each("names", _sign),
    )


def _sign(fields: Fields) -> Sign:
    fields.texts("samples")
    fields.texts("near_misses")
    return Sign(fields.texts("holds", required=True), _regex(fields, "pattern", required=True))


def _commands(fields: Fields) -> Commands:
    return Commands(
        apart=fields.get("apart", bool, False),
        lacks=frozenset(fields.texts("lacks")),
        knows=frozenset(fields.texts("knows")),
        drops=frozenset(fields.texts("drops")),
        without=fields.texts("without"),
        rewrites=fields.each("rewrites", _rewrite),
        filters=fields.each("filters", _filter),
        sets=_form(fields, "sets"),
        sets_quoted=_form(fields, "sets_quoted"),
        unsets=_form(fields, "unsets"),
        before_sets=fields.text("before_sets"),
        unsafe=_regex(fields, "unsafe"),
        foreign=_regex(fields, "foreign"),
        as_is=_regex(fields, "as_is"),
        begins=fields.each("begins", _rewrite),
    )


def _rewrite(fields: Fields) -> Rewrite:
    rewrite = Rewrite(_regex(fields, "match", required=True), fields.text("put"))
    try:
        re.sub(f"(?:{rewrite.pattern})?", rewrite.put, "")
    except (re.error, IndexError) as error:
        fields.problem("put", f"can't take the place of what matches: {error}")
    return rewrite


def _filter(fields: Fields) -> Filter:
    return Filter(
        fields.text("program", required=True),
        fields.text("options"),
        {str(key): str(value) for key, value in fields.get("flags", dict, {}).items()},
        fields.text("between", "|"),
        _form(fields, "put", ("flags", "words")),
    )


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
