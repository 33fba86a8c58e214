"""Read small files and folders, where one that can't be read is an empty one; find the working folder."""

from __future__ import annotations

import json
import os
from typing import Any

# O_BINARY keeps Windows from translating line ends.
AS_BYTES = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)


def working_folder() -> str:
    """Return the current folder; "" if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def system_root() -> str:
    """Return the folder of /proc, /sys and /dev: LOGSENSE_ROOT in a container that mounts those of its host."""
    return os.environ.get("LOGSENSE_ROOT") or "/"


def text_of(path: str) -> str:
    """Return the stripped text of the file at `path`; "" if it can't be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def listed(folder: str) -> list[str]:
    """Return the sorted names in `folder`; none if it can't be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def target_of(link: str) -> str:
    """Return what the symbolic link at `link` points to; "" if it can't be read."""
    try:
        return os.readlink(link)
    except OSError:
        return ""


def tail_of(path: str, most_bytes: int, begin_bytes: int = 0) -> bytes:
    """Return the last `most_bytes` of a file, but nothing before `begin_bytes`; empty if it can't be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - most_bytes, begin_bytes, 0))
            return file.read(most_bytes)
    except OSError:
        return b""


def object_in(path: str) -> dict[str, Any]:
    """Return the JSON object in the file at `path`; empty if it can't be read or is not an object."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def write_json(path: str, data: object) -> None:
    """Write `data` as JSON, as a whole or not at all. Raise OSError."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="ascii") as file:
        file.write(json.dumps(data))
    os.replace(temporary, path)
