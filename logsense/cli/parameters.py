"""Turn the options and arguments of commands into parameters for typer."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Optional

import typer

from logsense.cli.commands import Argument
from logsense.cli.completer import completer
from logsense.cli.options import Option


def parameters_of(option: Option) -> list[inspect.Parameter]:
    """Return the parameter for `option`; for a switch with choices, also a hidden flag per choice."""
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
    """Return the parameter for the positional argument `one`."""
    kind: Any = list[str] if one.many else str
    suggest = completer(one.completion) if one.completion else None
    default = typer.Argument(
        ... if one.required else None,
        metavar=one.metavar,
        help=one.help,
        show_default=False,
        autocompletion=suggest,
    )
    annotation = kind if one.required else Optional[kind]  # noqa: UP045
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_choice_flags(arguments: Sequence[str], options: Iterable[Option]) -> list[str]:
    """Replace switches with a choice, such as --exit-code=verdict, by their hidden flags."""
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


def values_of(parameters: Mapping[str, object], options: Mapping[str, Option]) -> dict[str, object]:
    """Return the `parameters` that have a value, by name, with hidden flags as the choices of their switches."""
    known = {name: value for name, value in parameters.items() if value is not None}
    for name in list(known):
        switch, hidden, choice = name.partition("_as_")
        if hidden and switch in options:
            del known[name]
            known[switch] = choice
    return known


def _choices(option: Option) -> list[tuple[str, str, str]]:
    """Return, for each choice of a switch, the argument, its hidden flag, and the choice."""
    if not option.switch:
        return []
    return [(f"{flag}={one}", f"{flag}-as-{one}", one) for flag in option.flags for one in option.choices]


def _keyword(name: str, default: object, kind: Any) -> inspect.Parameter:
    annotation = Optional[kind]  # noqa: UP045 - read at run time
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
