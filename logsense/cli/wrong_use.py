"""Describe errors in a command line, with suggestions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from logsense.cli.guess import did_you_mean
from logsense.cli.options import Option


def usage_error_message(error: object, command: str, options: Iterable[Option]) -> str:
    """Return a sentence about `error`, which typer raised; empty if typer printed the help instead.

    `command` is the command, `options` its options.
    """
    # The classes of errors depend on typer's version; all have these attributes.
    message = str(error.format_message()).replace("Value error, ", "").rstrip(".")  # type: ignore[attr-defined]
    if not message:
        return ""
    context = getattr(error, "ctx", None)
    path = str(getattr(context, "command_path", command))
    return f"{_better(message, error, options)} (see {path} --help)"


def _better(message: str, error: object, options: Iterable[Option]) -> str:
    flag = str(getattr(error, "option_name", ""))
    if hasattr(error, "possibilities") and flag.startswith("-"):
        command = getattr(getattr(error, "ctx", None), "command", None)
        flags = [one for parameter in getattr(command, "params", ()) for one in parameter.opts]
        return f"there is no option {flag}{did_you_mean(flag, [one for one in flags if one.startswith('-')])}"
    if "requires an argument" in message:
        found = next((one for one in options if flag in one.flags), None)
        wanted = f"one of {', '.join(found.choices)}" if found and found.choices else found.metavar if found else ""
        return f"{flag} needs {wanted or 'a value'}"
    if refused := re.search(r"'([^']*)' is not one of (.+)$", message):
        choices = re.findall(r"'([^']*)'", refused[2])
        return message + did_you_mean(refused[1].lower(), choices)
    if "does not take a value" in message:
        found = next((one for one in options if flag in one.flags and one.choices), None)
        return f"{flag} takes no value, or one of {', '.join(found.choices)} after =" if found else message
    if command := re.search(r"^No such command '([^']*)'", message):
        known = getattr(getattr(getattr(error, "ctx", None), "command", None), "commands", ())
        return f"there is no command {command[1]!r}{did_you_mean(command[1], known)}"
    return message
