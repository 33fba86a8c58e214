"""Where this process stands."""

from __future__ import annotations

import os


def working_folder() -> str:
    """The current folder; empty where it was removed while we stood in it."""
    try:
        return os.getcwd()
    except OSError:
        return ""
