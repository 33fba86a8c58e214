"""What was probably meant by a word that is neither a file nor a command."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LIKE = 0.7
MOST_NAMES = 5000


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """The rest of a sentence that names what of `known` is like `word`, with `before` in front of it; or nothing."""
    near = nearest(word, known)
    return f"; did you mean {before}{near}?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """What of `known` is most like `word`; empty where nothing is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=LIKE)), "")


def file_meant(path: str) -> str:
    """The rest of a sentence that names the file beside `path` which was probably meant; or nothing."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            names = [entry.name for _, entry in zip(range(MOST_NAMES), entries, strict=False)]
    except (OSError, ValueError):
        return ""
    near = nearest(name, names)
    return f"; did you mean {os.path.join(folder, near)}?" if near else ""


def input_meant(inputs: Iterable[str]) -> str:
    """For the first of `inputs` that is a name but no file: what was probably meant by it; or nothing."""
    from logsense.cli.commands import COMMAND_NAMES

    for text in inputs:
        if text != "-" and "\n" not in text and len(text) < 1024 and not os.path.lexists(os.path.expanduser(text)):
            file = file_meant(text)
            return file or (did_you_mean(text, COMMAND_NAMES, "logsense ") if len(text.split()) == 1 else "")
    return ""
