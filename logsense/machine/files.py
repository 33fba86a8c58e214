"""Reads the small files by which the system tells of itself."""

from __future__ import annotations

import os


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
