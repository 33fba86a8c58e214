"""Find the logs that an input names."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from io import BytesIO

from logsense.model.source import Source, Stdin, reason
from logsense.sources.file import file_source, opened, stream_source
from logsense.sources.folder import is_sure_log_name, logs_in
from logsense.sources.unpack import ARCHIVE_ENDINGS
from logsense.util.errors import InputError, NoFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, TextIO

PASTED = "pasted text"  # the name of the source for an input that is the log itself
_OVER_HTTP = ("loki", "es", "elasticsearch", "opensearch")
STORES = {"journald", "kubectl", *(kind + via for kind in _OVER_HTTP for via in ("", "+http", "+https"))}
_ENDINGS = (
    *(".log", ".txt", ".out", ".err", ".stderr", ".stdout", ".json", ".jsonl", ".ndjson", ".csv", ".py", ".yaml"),
    *(".ipynb", ".gz", ".bz2", ".xz", ".zst", ".lz4"),
    *ARCHIVE_ENDINGS,
)
MOST_FILES = 20_000
MOST_DEPTH = 4
_SKIPPED = {"node_modules", "site-packages", "dist-packages", "__pycache__", "proc", "sys", "dev"}


def resolve(
    inputs: Sequence[str], *, stdin: BinaryIO | TextIO, on_problem: Callable[[InputError], object] | None = None
) -> list[Source]:
    """Return the sources that `inputs` name, in order; those in a folder in natural order (rank10 after rank9).

    An input that is not a path is the log itself. Raise InputError if none can be read. `on_problem` gets the error
    of each of the others; by default they raise, too.
    """
    found: list[Source] = []
    problems: list[InputError] = []
    for name in inputs:
        if name == "-":
            found.append(Source("standard input", None, lambda source: opened(Stdin(stdin), source)))
            continue
        try:
            found += _named(name, problems.append)
        except InputError as error:
            if on_problem is None:
                raise
            problems.append(error)
    if problems and not found:
        raise problems[0]
    if on_problem:
        for problem in problems:
            on_problem(problem)
    return found


def _named(name: str, on_problem: Callable[[InputError], object]) -> list[Source]:
    for path in (name, os.path.expanduser(name)):
        try:
            mode = os.stat(path).st_mode
        except ValueError:  # it holds a zero byte
            continue
        except OSError as error:
            if os.path.lexists(path) or (isinstance(error, PermissionError) and looks_like_path(name)):
                raise InputError(f"can't read {name}: {reason(error)}") from None
            continue
        return _existing(path, mode, on_problem)
    if is_address(name):
        if is_store(name):
            from logsense.sources.stores import index, journald, kubectl, loki

            kind = name.partition("://")[0].partition("+")[0].lower()
            readers = {"loki": loki.logs_at, "journald": journald.logs_at, "kubectl": kubectl.logs_at}
            return readers.get(kind, index.logs_at)(name)
        from logsense.sources.remote import logs_at

        return logs_at(name)
    if looks_like_path(name):
        raise NoFileError(name)
    text = name.encode("utf-8", "surrogateescape")
    return [Source(PASTED, len(text), lambda source: opened(BytesIO(text), source))]


def _existing(path: str, mode: int, on_problem: Callable[[InputError], object]) -> list[Source]:
    if stat.S_ISDIR(mode):
        return logs_in(path, on_problem)
    if stat.S_ISREG(mode):
        return _logs_in_file(path)
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
        raise InputError(f"can't read {path}: not a file")
    return [stream_source(path)]


def _logs_in_file(path: str) -> list[Source]:
    if path.lower().endswith(ARCHIVE_ENDINGS):
        from logsense.sources.archive import logs_in as logs_in_archive

        found = logs_in_archive(path)
        if found:
            return found
    return [file_source(path)]


def is_address(name: str) -> bool:
    """Return whether `name` is a URL, such as s3://… or https://…."""
    if is_store(name):
        return True
    scheme, mark, rest = name.partition("://")
    plain = scheme.replace("+", "").replace("-", "").isalnum() and scheme.isascii()
    return bool(mark and rest and plain) and not any(letter.isspace() for letter in name)


def is_store(name: str) -> bool:
    """Return whether `name` is the URL of a log store; it may hold blanks, as queries do."""
    scheme, mark, rest = name.partition("://")
    return bool(mark and rest) and scheme.lower() in STORES and "\n" not in name


def looks_like_path(name: str) -> bool:
    """Return whether `name`, which does not exist, was meant as a path rather than as log text."""
    if "\n" in name or not name or len(name) > 1024:
        return False
    ending = name.lower().endswith(_ENDINGS)
    if any(letter.isspace() for letter in name):
        return ending and name.startswith(("/", "./", "../", "~/")) and ": " not in name
    return ending or "/" in name or "\\" in name or name.startswith("~")


def dated_logs(folder: str = ".") -> list[tuple[float, str]]:
    """Return the modification time and path of each file below `folder` that is named like a log and not empty.

    Skips hidden folders, and looks at no more than 20,000 files in folders at most four levels deep.
    """
    found: list[tuple[float, str]] = []
    left = MOST_FILES
    for where, folders, names in os.walk(folder):
        deep = os.path.relpath(where, folder).count(os.sep) + (where != folder) >= MOST_DEPTH
        folders[:] = [name for name in folders if not (deep or name.startswith(".") or name in _SKIPPED)]
        for path in [os.path.join(where, name) for name in names[:left] if is_sure_log_name(name)]:
            try:
                known = os.stat(path)
            except OSError:
                continue
            if known.st_size and stat.S_ISREG(known.st_mode):
                found.append((known.st_mtime, os.path.normpath(path)))
        left -= len(names)
        if left <= 0:
            break
    return found
