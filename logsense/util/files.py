"""Reads small files, and finds the working folder and the root of the system."""

from __future__ import annotations

import os

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
