"""Find the logs in a folder, such as one log per rank."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from logsense.model.source import Source
from logsense.sources.file import file_source
from logsense.util.errors import InputError, NoLogError
from logsense.util.regexes import Lazy

_LOG_NAME = Lazy(
    r"(?:.*\.(?:log|out|err|stderr|stdout|txt|jsonl?|ndjson|[oe]\d+)(?:[.-]\d+)?|[\w-]*(?:stdout|stderr|output|log)"
    r"|nohup\.out|slurm-.*|[^.]+)(?:\.(?:gz|bz2|xz|zst|lz4))?",
    re.IGNORECASE | re.DOTALL,
)
_SURE_NAME = Lazy(
    r".*\.(?:log|out|err|txt|jsonl)(?:[.-]\d+)?(?:\.(?:gz|bz2|xz|zst|lz4))?|std(?:out|err)", re.IGNORECASE | re.DOTALL
)
_OTHER_NAME = Lazy(
    r"(?:requirements|constraints|licen[cs]e|readme|makefile|dockerfile|copying|notice|authors|changelog|version)\b.*"
    r"|.*(?:config|tokenizer|vocab|merges|package|tsconfig|special_tokens|index|metadata)\w*\.(?:json|txt)",
    re.IGNORECASE,
)
SKIPPED_FOLDERS = {"__pycache__", "node_modules", "site-packages", "dist-packages", "wandb-media"}


def logs_in(folder: str, on_problem: Callable[[InputError], object] | None = None) -> list[Source]:
    """Return the logs in `folder` and its subfolders, in natural order.

    `on_problem` gets the error of each that can't be read. Raise InputError if there are none.
    """
    found: list[Source] = []
    errors: list[InputError] = []
    for path in sorted(_paths(folder), key=natural):
        try:
            found.append(file_source(path))
        except InputError as error:  # noqa: PERF203
            errors.append(error)
    if not found:
        raise errors[0] if errors else InputError(f"no logs in {folder}")
    if on_problem:
        for problem in errors:
            if not isinstance(problem, NoLogError):
                on_problem(problem)
    return found


def natural(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key for `path` by which numbers sort as numbers."""
    parts = re.split(r"(\d{1,18})", path)
    return [(1, int(part), "") if part.isdecimal() and part.isascii() else (0, 0, part) for part in parts]


def _paths(folder: str) -> list[str]:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise InputError(f"can't read {folder}: permission denied")
    found: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS]
        for name in files:
            path = os.path.join(parent, name)
            if (is_log_name(name) or is_notebook_name(name)) and os.path.isfile(path):
                found.append(path)
    return without_examples(found)


def is_sure_log_name(name: str) -> bool:
    """Return whether a file of this name is certainly a log, even among many other files, as in archives."""
    return is_log_name(name) and bool(_SURE_NAME.fullmatch(name))


def is_notebook_name(name: str) -> bool:
    """Return whether a file of this name is a notebook."""
    return name.lower().endswith(".ipynb") and not name.startswith(".") and not name.endswith("-checkpoint.ipynb")


def without_examples(paths: list[str]) -> list[str]:
    """Return `paths` without notebooks if there is a certain log: then notebooks are examples and analyses."""
    names = (os.path.basename(path) for path in paths)
    if any(is_sure_log_name(name) and not name.lower().endswith(".txt") for name in names):
        return [path for path in paths if not is_notebook_name(os.path.basename(path))]
    return paths


def is_log_name(name: str) -> bool:
    """Return whether a file of this name may be a log."""
    return not name.startswith(".") and bool(_LOG_NAME.fullmatch(name)) and not _OTHER_NAME.fullmatch(name)
