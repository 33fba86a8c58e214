"""Opens and reads small files, and says where this process stands."""

from __future__ import annotations

import os

# Windows translates line ends unless it is told not to.
AS_BYTES = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)


def working_folder() -> str:
    """The current folder; empty where it was removed while we stood in it."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def system_root() -> str:
    """Where the system's /proc, /sys and /dev are: in a container that shows its host's, below LOGSENSE_ROOT."""
    return os.environ.get("LOGSENSE_ROOT") or "/"


def text_of(path: str) -> str:
    """What the file at `path` says, without the blanks around it; "" where it can't be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
