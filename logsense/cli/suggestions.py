"""Suggest corrections for mistyped files, commands and options, and describe errors in a command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from logsense.cli.commands import COMMAND_NAMES
from logsense.cli.options import Option

LEAST_SIMILARITY = 0.7
MOST_NAMES = 5000


def did_you_mean(word: str, known: Iterable[str], prefix: str = "") -> str:
    """Return "; did you mean X?" with the word of `known` that is most similar to `word`, or ""."""
    from difflib import get_close_matches

    similar = get_close_matches(word, list(known), n=1, cutoff=LEAST_SIMILARITY)
    return f"; did you mean {prefix}{similar[0]}?" if similar else ""


def suggest_file(path: str) -> str:
    """Return "; did you mean X?" with the file in the same folder whose name is most similar to `path`, or ""."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            names = [entry.name for _, entry in zip(range(MOST_NAMES), entries, strict=False)]
    except (OSError, ValueError):
        return ""
    return did_you_mean(name, names, os.path.join(folder, ""))


def suggest_input(inputs: Iterable[str]) -> str:
    """Return "; did you mean X?" for the first of `inputs` that looks like a name but does not exist, or ""."""
    for text in inputs:
        if text != "-" and "\n" not in text and len(text) < 1024 and not os.path.lexists(os.path.expanduser(text)):
            file = suggest_file(text)
            return file or (did_you_mean(text, COMMAND_NAMES, "logsense ") if len(text.split()) == 1 else "")
    return ""


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
    command = getattr(getattr(error, "ctx", None), "command", None)
    found = next((one for one in options if flag in one.flags), None)
    choices = ", ".join(found.choices) if found else ""
    if hasattr(error, "possibilities") and flag.startswith("-"):
        flags = [one for parameter in getattr(command, "params", ()) for one in parameter.opts if one.startswith("-")]
        return f"there is no option {flag}{did_you_mean(flag, flags)}"
    if "requires an argument" in message:
        wanted = f"one of {choices}" if choices else found.metavar if found else ""
        return f"{flag} needs {wanted or 'a value'}"
    if refused := re.search(r"'([^']*)' is not one of (.+)$", message):
        return message + did_you_mean(refused[1].lower(), re.findall(r"'([^']*)'", refused[2]))
    if "does not take a value" in message:
        return f"{flag} takes no value, or one of {choices} after =" if choices else message
    if unknown := re.search(r"^No such command '([^']*)'", message):
        return f"there is no command {unknown[1]!r}{did_you_mean(unknown[1], getattr(command, 'commands', ()))}"
    return message
