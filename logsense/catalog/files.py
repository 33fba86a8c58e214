"""Find the catalog's files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from logsense.util.noun import NamedTuple

MOST_ENTRIES, MOST_BYTES = 20_000, 64 << 20  # of one folder of knowledge, with all below it


class Folder(NamedTuple):
    """A folder of knowledge: its `kind` ("corpus" or "rules"), its path, and for a project's the name it goes by."""

    kind: str
    path: str
    origin: str = ""


class TooLargeError(ValueError):
    """A folder that holds far more than anybody's knowledge; its text says so."""


def built_in(folder: str) -> str:
    """Return the path of the built-in `folder` ("rules" or "corpus"): in the package, or beside it in a checkout."""
    inside = os.path.join(_package(), "_data", folder)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_package()), folder)


def shipped() -> str:
    """Return the path of the compiled catalog that a wheel brings; there is none in a checkout."""
    return os.path.join(_package(), "_data", "catalog.bin")


def _package() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def listing(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all .yaml files below `root`, in order: relative paths and stats.

    Skips what cannot be read, and a folder that a link leads back to. Raise TooLargeError.
    """
    stack = [("", root)]
    seen: set[tuple[int, int]] = set()
    count = size_bytes = 0
    while stack:
        prefix, folder = stack.pop()
        try:
            here = os.stat(folder)
            if (here.st_dev, here.st_ino) in seen:
                continue
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        seen.add((here.st_dev, here.st_ino))
        count += len(entries)
        folders = []
        for entry in entries:
            if entry.name.endswith((".yaml", ".yml")):
                found = _file(entry)
                if found:
                    size_bytes += found.st_size
                    yield prefix + entry.name, found
            elif not entry.name.startswith(".") and entry.is_dir():
                folders.append((f"{prefix}{entry.name}/", entry.path))
        if count > MOST_ENTRIES or size_bytes > MOST_BYTES:
            raise TooLargeError(
                f"{root} holds more than {MOST_ENTRIES:,} files or {MOST_BYTES >> 20} MiB; nothing of it is used"
            )
        stack += reversed(folders)


def _file(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the stat of a plain file; None for a pipe, which would wait for a writer, and for a broken link."""
    try:
        return entry.stat() if entry.is_file() else None
    except OSError:
        return None
