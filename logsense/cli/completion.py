"""Completion in shells, made by typer from the table of commands."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, MutableMapping
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Any, Literal, Optional

import typer

from logsense.cli.command_line import command_first
from logsense.cli.commands import COMMAND_NAMES, COMMANDS, GROUPS, OVERVIEW, Argument, Command
from logsense.cli.options import Option
from logsense.model.values import to_count
from logsense.util.errors import InputError


def complete() -> int:
    """Print what a shell asks for in the environment; return the exit status."""
    imply_explain(os.environ)
    try:
        typer.main.get_command(app).main(args=[], prog_name="logsense", standalone_mode=False)
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def _add(command: Command) -> None:
    """Add `command` to the typer application, which never runs it."""
    parameters = [*map(_argument, command.arguments), *map(_option, command.options)]

    def never() -> None:
        raise AssertionError

    never.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    never.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    group, _, subcommand = command.path.rpartition(" ")
    (rules_app if group else app).command(subcommand, help=command.summary)(never)


def _option(option: Option) -> inspect.Parameter:
    kind: Any = bool if option.switch else Literal[option.choices] if option.choices else str
    shown = typer.Option(None, *option.flags, help=option.meaning, metavar=option.metavar or None)
    return _keyword(option.name, shown, Optional[kind])  # noqa: UP045 - read at run time


def _argument(one: Argument) -> inspect.Parameter:
    kind: Any = list[str] if one.many else str
    suggest = _completer(one.completion) if one.completion else None
    shown = typer.Argument(
        ... if one.required else None, metavar=one.metavar, help=one.help, show_default=False, autocompletion=suggest
    )
    return _keyword(one.name, shown, kind if one.required else Optional[kind])  # noqa: UP045


def _keyword(name: str, default: object, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _completer(kind: str) -> Callable[[str], list[str]]:
    """Return a function from a prefix to the matching ids or names. `kind` is "causes", "signatures" or "runs"."""

    def suggest(incomplete: str) -> list[str]:
        try:
            return [one for one in _names(kind) if one.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - the shell would print the error into the command line
            return []

    return suggest


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
rules_app = _application("rules", GROUPS["rules"])
app.add_typer(rules_app)
for _command in COMMANDS:
    _add(_command)


SHELLS = ("bash", "zsh", "fish", "powershell")
VARIABLE = "_LOGSENSE_COMPLETE"
# How to install each script permanently.
_INSTALL = {
    "bash": "logsense completion bash > ~/.local/share/bash-completion/completions/logsense",
    "zsh": "logsense completion zsh > ~/.zfunc/_logsense   # with: fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    "fish": "logsense completion fish > ~/.config/fish/completions/logsense.fish",
    "powershell": "logsense completion powershell >> $PROFILE",
}


def print_script(options: dict[str, object]) -> int:
    """Print the completion script for the shell in `options`, or for the user's own; return the exit status."""
    own = os.path.basename(os.environ.get("SHELL", "")).removesuffix(".exe")
    shell = str(options.get("shell") or own).replace("pwsh", "powershell")
    if shell not in SHELLS:
        raise InputError(f"specify the shell: logsense completion {'|'.join(SHELLS)}")
    script = _script(shell)
    # zsh needs its marker on the first line.
    head, _, rest = script.partition("\n") if script.startswith("#compdef") else ("", "", script)
    print("\n".join(part for part in (head, f"# To install it: {_INSTALL[shell]}", rest) if part))
    return 0


def _script(shell: str) -> str:
    """Return typer's completion script, which it prints if an environment variable is set."""
    out = StringIO()
    os.environ[VARIABLE] = f"source_{shell}"
    try:
        with redirect_stdout(out), suppress(SystemExit):
            complete()
    finally:
        del os.environ[VARIABLE]
    return out.getvalue().strip()


def imply_explain(environ: MutableMapping[str, str]) -> None:
    """Insert `explain` into the command line that a shell passes in `environ` if it names no command."""
    if "COMP_WORDS" in environ:
        words = environ["COMP_WORDS"].split("\n" if "\n" in environ["COMP_WORDS"] else None)
        at = to_count(environ.get("COMP_CWORD", "")) or 0
        if _is_explain(words[1:at], words[at] if at < len(words) else ""):
            environ["COMP_WORDS"] = "\n".join([words[0], "explain", *words[1:]])
            environ["COMP_CWORD"] = str(at + 1)
    typed = environ.get("_TYPER_COMPLETE_ARGS", "")
    program, blank, rest = typed.partition(" ")
    if blank:
        words = rest.split()
        last = "" if typed.endswith(" ") or not words else words.pop()
        if _is_explain(words, last):
            environ["_TYPER_COMPLETE_ARGS"] = f"{program} explain {rest}"


def _is_explain(before: list[str], last: str) -> bool:
    command, _ = command_first(before, COMMAND_NAMES)
    return command is None and (bool(before) or last.startswith("-"))
