"""The full command line, made by typer from the table of commands: help, completion and error messages."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer

from logsense.cli.commands import COMMANDS, OVERVIEW, Command
from logsense.cli.options import OPTIONS, RUN_OPTIONS, Option
from logsense.cli.output import note
from logsense.cli.parameters import argument, parameters_of, values_of, with_choice_flags
from logsense.cli.wrong_use import usage_error_message

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


def _application(name: str, summary: str) -> typer.Typer:
    return typer.Typer(
        name=name,
        help=summary,
        context_settings={"help_option_names": ["--help", "-h"]},
        rich_markup_mode=None,
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
