"""Suggest corrections for mistyped files, commands and options."""

from __future__ import annotations

import os
from collections.abc import Iterable

from logsense.cli.commands import COMMAND_NAMES

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
