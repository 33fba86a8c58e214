"""Finds the log that was written last beneath a folder."""

from __future__ import annotations

import os

from logsense.sources.folder import is_sure_log_name

MOST_FILES = 20_000
DEEPEST = 4
_SKIPPED = {"node_modules", "site-packages", "dist-packages", "__pycache__", "proc", "sys", "dev"}


def newest_log(folder: str = ".") -> tuple[str, float] | None:
    """The path of the newest file beneath `folder` that is a log by its name, and when it was written; None if none is.

    Hidden folders are left out; looks at most four folders deep and at 20,000 files.
    """
    best: tuple[str, float] | None = None
    left = MOST_FILES
    waiting = [(folder, 0)]
    while waiting and left > 0:
        where, depth = waiting.pop(0)
        try:
            entries = sorted(os.scandir(where), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries[:left]:
            left -= 1
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < DEEPEST and not entry.name.startswith(".") and entry.name not in _SKIPPED:
                        waiting.append((entry.path, depth + 1))
                elif is_sure_log_name(entry.name) and entry.is_file():
                    stat = entry.stat()
                    if stat.st_size and (best is None or stat.st_mtime > best[1]):
                        best = (os.path.normpath(entry.path), stat.st_mtime)
            except OSError:
                continue
    return best
