"""`logsense completion`: print the completion script of a shell; complete words that belong to `explain`."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from contextlib import redirect_stdout, suppress
from io import StringIO

from logsense.cli.app import run as run_typer
from logsense.cli.command_line import command_first
from logsense.cli.commands import COMMAND_NAMES
from logsense.model.values import to_count
from logsense.util.errors import InputError

SHELLS = ("bash", "zsh", "fish", "powershell")
VARIABLE = "_LOGSENSE_COMPLETE"
# How to install each script permanently.
_INSTALL = {
    "bash": "logsense completion bash > ~/.local/share/bash-completion/completions/logsense",
    "zsh": "logsense completion zsh > ~/.zfunc/_logsense   # with: fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    "fish": "logsense completion fish > ~/.config/fish/completions/logsense.fish",
    "powershell": "logsense completion powershell >> $PROFILE",
}


def run(options: dict[str, object]) -> int:
    """Print the script for the shell in `options`, or for the user's own; return the exit status."""
    shell = str(options.get("shell") or _own_shell())
    shell = "powershell" if shell == "pwsh" else shell
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
            run_typer([])
    finally:
        del os.environ[VARIABLE]
    return out.getvalue().strip()


def imply_explain(environ: MutableMapping[str, str]) -> None:
    """Insert `explain` into the command line that a shell passes in `environ` if it names no command."""
    if "COMP_WORDS" in environ:
        words = environ["COMP_WORDS"].split("\n" if "\n" in environ["COMP_WORDS"] else None)
        at = to_count(environ.get("COMP_CWORD", "")) or 0
        if _is_explain(words[1:at], words[at] if at < len(words) else "", COMMAND_NAMES):
            environ["COMP_WORDS"] = "\n".join([words[0], "explain", *words[1:]])
            environ["COMP_CWORD"] = str(at + 1)
    typed = environ.get("_TYPER_COMPLETE_ARGS", "")
    program, blank, rest = typed.partition(" ")
    if blank:
        words = rest.split()
        last = "" if typed.endswith(" ") or not words else words.pop()
        if _is_explain(words, last, COMMAND_NAMES):
            environ["_TYPER_COMPLETE_ARGS"] = f"{program} explain {rest}"


def _is_explain(before: list[str], last: str, commands: tuple[str, ...]) -> bool:
    command, _ = command_first(before, commands)
    return command is None and (bool(before) or last.startswith("-"))


def _own_shell() -> str:
    return os.path.basename(os.environ.get("SHELL", "")).removesuffix(".exe")
