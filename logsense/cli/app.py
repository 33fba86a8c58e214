"""The full command line, made by typer from the table of commands: help, completion and error messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Optional

import typer

from logsense.cli.commands import COMMANDS, OVERVIEW, Argument, Command
from logsense.cli.options import OPTIONS, RUN_OPTIONS, Option
from logsense.cli.output import note
from logsense.cli.suggestions import usage_error_message

_OPTIONS = {option.name: option for option in (*OPTIONS, *RUN_OPTIONS)}


def run(arguments: Sequence[str]) -> int:
    """Run the command line `arguments` and return its exit status; report wrong use in one line."""
    command = typer.main.get_command(app)
    try:
        status = command.main(
            args=with_choice_flags(arguments, _OPTIONS.values()), prog_name="logsense", standalone_mode=False
        )
    except typer.Exit as ended:
        return ended.exit_code
    except Exception as error:
        # The base class of usage errors has no public name in every version of typer.
        if not hasattr(error, "format_message"):
            raise
        note(usage_error_message(error, *_meant(arguments)))
        return 2
    return status if isinstance(status, int) else 0


def _meant(arguments: Sequence[str]) -> tuple[str, tuple[Option, ...]]:
    """Return the command that `arguments` begin with, as typed, and its options."""
    by_path = {command.path: command for command in COMMANDS}
    for words in (2, 1):
        if command := by_path.get(" ".join(arguments[:words])):
            return f"logsense {command.path}", command.options
    return "logsense", tuple(_OPTIONS.values())


def _add(command: Command) -> None:
    """Add `command` to the typer application; its module is imported when it runs."""
    parameters = [
        *(argument(one) for one in command.arguments),
        *(parameter for option in command.options for parameter in parameters_of(option)),
    ]
    module, _, name = command.function.partition(":")

    def call(**given: Any) -> int:
        function = getattr(import_module(f"logsense.cli.{module}"), name)
        status: int = function(values_of(given, _OPTIONS))
        return status

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    group, _, subcommand = command.path.rpartition(" ")
    (rules_app if group else app).command(subcommand, help=command.summary)(call)


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
    suggest = _completer(one.completion) if one.completion else None
    default = typer.Argument(
        ... if one.required else None, metavar=one.metavar, help=one.help, show_default=False, autocompletion=suggest
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


def _completer(kind: str) -> Callable[[str], list[str]]:
    """Return a function from a prefix to the matching ids or names. `kind` is "causes", "signatures" or "runs"."""

    def complete(incomplete: str) -> list[str]:
        try:
            return [one for one in _names(kind) if one.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - the shell would print the error into the command line
            return []

    return complete


def _names(kind: str) -> list[str]:
    if kind == "runs":
        from logsense.recorder.folder import state_folder
        from logsense.recorder.runs import run_names

        root = state_folder()
        return run_names(root) if root else []
    from logsense.catalog.load import load_catalog

    catalog = load_catalog()
    return list(catalog.causes) if kind == "causes" else list(catalog.ids)


def _application(name: str, summary: str) -> typer.Typer:
    return typer.Typer(
        name=name, help=summary, context_settings={"help_option_names": ["--help", "-h"]}, rich_markup_mode=None
    )


app = _application("logsense", OVERVIEW)
rules_app = _application("rules", "Check, test and write rules and signatures.")
app.add_typer(rules_app)


@rules_app.callback(invoke_without_command=True)
def _show_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _command in COMMANDS:
    _add(_command)
