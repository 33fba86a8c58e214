"""Run short commands of other programs."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


def output_of(command: Sequence[str], limit_s: float) -> bytes:
    """Return what `command` prints; nothing if it fails, is not installed, or takes longer than `limit_s` seconds."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit_s, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return b"" if done.returncode else done.stdout
