"""Options and arguments of the table of commands as parameters that typer understands."""

from __future__ import annotations

import inspect
from typing import Any, Literal, Optional

import typer

from logsense.cli.completes import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from logsense.cli.commands import Argument
    from logsense.cli.options import Option


def parameters_of(option: Option) -> list[inspect.Parameter]:
    """Return the parameter that reads `option`, and for a switch with choices a hidden flag for each of them."""
    kind: Any = bool if option.switch else str
    if option.choices and not option.switch:
        kind = Literal[option.choices]
    shown = typer.Option(None, *option.flags, help=option.meaning, metavar=option.metavar or None)
    return [
        _keyword(option.name, shown, kind),
        *(
            _keyword(f"{option.name}_as_{one}", typer.Option(None, flag, hidden=True), bool)
            for _, flag, one in _choices(option)
        ),
    ]


def argument(one: Argument) -> inspect.Parameter:
    """Return the parameter that reads the positional argument `one`."""
    kind: Any = list[str] if one.many else str
    suggest = known(one.completes) if one.completes else None
    default = typer.Argument(
        ... if one.required else None,
        metavar=one.metavar,
        help=one.help,
        show_default=False,
        autocompletion=suggest,
    )
    annotation = kind if one.required else Optional[kind]  # noqa: UP045
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def spelled(arguments: Sequence[str], options: Iterable[Option]) -> list[str]:
    """`arguments` with switches that carry a choice, as in --exit-code=verdict, as the flags that stand for them."""
    options = tuple(options)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    flags = {given: flag for option in options for given, flag, _ in _choices(option)}
    taking = {flag for option in options if not option.switch for flag in option.flags}
    words: list[str] = []
    value = False
    for at, word in enumerate(arguments):
        words.append(flags.get(word, word) if at < end and not value else word)
        value = not value and word in taking
    return words


def chosen(given: Mapping[str, object], options: Mapping[str, Option]) -> dict[str, object]:
    """What was given, by name, with the hidden flags of switches as the choices that they stand for."""
    known = {name: value for name, value in given.items() if value is not None}
    for name in list(known):
        switch, hidden, choice = name.partition("_as_")
        if hidden and switch in options:
            del known[name]
            known[switch] = choice
    return known


def _choices(option: Option) -> list[tuple[str, str, str]]:
    """For a switch with choices: each as it is given, as the hidden flag that stands for it, and by itself."""
    if not option.switch:
        return []
    return [(f"{flag}={one}", f"{flag}-as-{one}", one) for flag in option.flags for one in option.choices]


def _keyword(name: str, default: object, kind: Any) -> inspect.Parameter:
    annotation = Optional[kind]  # noqa: UP045 - read at run time
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
