"""Check the files of rules/_systems/: what each sign finds, and what becomes of the commands in examples."""

from __future__ import annotations

import re

from logsense.advise.commands import for_system
from logsense.authoring.slow_regex import check_time
from logsense.catalog.decode import Fields, Path, Problems
from logsense.catalog.systems import decode_system
from logsense.model.knowledge import Catalog


def check_system(name: str, data: object, catalog: Catalog, problems: Problems) -> None:
    """Note what is wrong with `data`, the content of the file of the system `name`."""
    system = decode_system(data, Problems())
    if system is None:
        return
    fields = Fields(data, (), problems)
    if system.name != name:
        problems.add(("system",), f"system must be {name}, as the path says")
    for one in fields.texts("found"):
        if not any(map(catalog.find, catalog.expand((one,)))):
            problems.add(("found",), f"there is no signature {one}")
    other = fields.text("commands_of")
    if other and other not in catalog.systems():
        problems.add(("commands_of",), f"there is no system {other}")
    for path, item in (*fields.items("signs"), *fields.items("names")):
        _check_sign(Fields(item, path, problems), path, problems)
    commands = fields.raw("commands")
    for path, regex in _regexes(commands, ("commands",)):
        check_time(regex, path, problems)
    for path, item in fields.items("examples"):
        _check_example(Fields(item, path, problems), path, system.name, catalog, problems)
    if commands and "examples" not in fields:
        problems.add(("commands",), "needs examples of what becomes of a command")


def _check_sign(sign: Fields, path: Path, problems: Problems) -> None:
    pattern, holds = re.compile(sign.text("pattern")), sign.texts("holds")
    check_time(pattern.pattern, (*path, "pattern"), problems)
    for at, text in sign.items("samples", required=True):
        if not pattern.search(str(text)):
            problems.add(at, "the pattern does not find its sample")
        elif not any(piece in str(text) for piece in holds):
            problems.add(at, f"a match without any of {', '.join(holds)}")
    for at, text in sign.items("near_misses", required=True):
        if pattern.search(str(text)):
            problems.add(at, "the pattern finds its near miss")


def _check_example(example: Fields, path: Path, name: str, catalog: Catalog, problems: Problems) -> None:
    command, expected = example.text("command", required=True), example.text("becomes") or None
    example.close()
    becomes = for_system(command, catalog.systems()[name])
    if becomes != expected:
        problems.add(path, f"becomes {becomes!r}, not {expected!r}" if becomes else "is left out")


def _regexes(commands: object, path: Path) -> list[tuple[Path, str]]:
    """Return the regexes of `commands`, with their places."""
    if not isinstance(commands, dict):
        return []
    found: list[tuple[Path, str]] = [
        ((*path, key), str(commands[key])) for key in ("unsafe", "foreign", "as_is") if key in commands
    ]
    for key in ("rewrites", "begins"):
        found += [((*path, key, at, "match"), str(one["match"])) for at, one in enumerate(commands.get(key, ()))]
    return found
