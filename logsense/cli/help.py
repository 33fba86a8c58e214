"""The help page of a command, from the table of commands."""

from __future__ import annotations

from shutil import get_terminal_size
from textwrap import TextWrapper

from logsense.cli.commands import COMMANDS, GROUPS, Command
from logsense.cli.options import Option

WIDEST, NARROWEST = 80, 40  # columns
HELP = ("-h, --help", "Show this page and exit.")
Rows = list[tuple[str, str]]


def help_page(path: str) -> str:
    """Return the help page of the command or group of commands at `path`."""
    width = max(min(get_terminal_size().columns, WIDEST), NARROWEST)
    command = next((one for one in COMMANDS if one.path == path), None)
    sections = _sections(path, command)
    labels = max(len(label) for _, rows in sections for label, _ in rows)
    usage = " ".join(["[OPTIONS]", *(one.usage for one in command.arguments)] if command else ["COMMAND"])
    parts = [f"Usage: logsense {path} {usage}", "", _wrapped(command.summary if command else GROUPS[path], "  ", width)]
    for title, rows in sections:
        parts += ["", f"{title}:", *(_wrapped(text, f"  {label:<{labels}}  ", width) for label, text in rows)]
    return "\n".join(parts) + "\n"


def _sections(path: str, command: Command | None) -> list[tuple[str, Rows]]:
    """Return the titles of the sections, and their labels with what each means."""
    if command is None:
        below = [one for one in COMMANDS if one.path.startswith(f"{path} ")]
        return [("Commands", [(one.path.split()[1], one.summary) for one in below]), ("Options", [HELP])]
    arguments = [(one.metavar, one.help) for one in command.arguments]
    options = [(_label(one), one.meaning) for one in command.options]
    return [*([("Arguments", arguments)] if arguments else []), ("Options", [*options, HELP])]


def _label(option: Option) -> str:
    """Return the flags of an option, and its value."""
    value = f" {option.metavar}"
    if option.switch and option.choices:
        value = f"[={option.choices[-1]}]" if len(option.choices) > 1 else f"={option.choices[0]}"
    return f"{', '.join(sorted(option.flags, key=len))}{value}".rstrip()


def _wrapped(text: str, before: str, width: int) -> str:
    """Return `text` in lines, the first of them after `before` and the others below it."""
    indent = " " * len(before)
    return TextWrapper(width, initial_indent=before, subsequent_indent=indent, break_on_hyphens=False).fill(text)
