"""Compile the catalog in a separate process, since its memory would otherwise stay allocated while a job runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from logsense.catalog.files import Folder
from logsense.catalog.load import cache_folder, can_keep, is_kept, load_catalog
from logsense.cli.options import Settings
from logsense.cli.output import COMPILING, is_terminal, note
from logsense.jobs.side_process import SideProcess
from logsense.match.engines import is_database_kept, keep_database
from logsense.model.knowledge import Catalog

_POLL_S = 0.02
_TIMEOUT_S = 60.0  # then this process compiles


def compile_in_background(settings: Settings, catalog: Catalog | None = None, line_end: str = "") -> None:
    """Compile the catalog if it is not cached yet; with a loaded `catalog`, compile its database for large logs.

    Raise nothing. If the result can't be cached or no process can be started, the caller compiles on demand.
    `line_end` ends the line on the terminal that the note would continue.
    """
    if catalog:
        folder = catalog.cache_folder
        done = folder is None or is_database_kept(catalog.literals, folder) or not can_keep(folder)
    else:
        done = is_kept(settings.rules, settings.corpus, settings.trusted)
    if done or not sys.executable:
        return
    if is_terminal(sys.stderr):
        note(COMPILING, settings, line_end)
    try:
        trusted = [word for folder in settings.trusted for word in folder]
        process = SideProcess(__name__, [settings.rules or "", settings.corpus or "", *trusted], bound=True)
    except OSError:
        return
    until_s = time.monotonic() + _TIMEOUT_S
    while not process.ended() and time.monotonic() < until_s:
        time.sleep(_POLL_S)
    process.release()


def main(words: Sequence[str]) -> None:
    """Compile and cache the catalog and its database.

    `words` are the user's folders of rules and of signatures ("" for none), and three words per trusted folder.
    """
    rules, corpus = (word or None for word in words[:2])
    trusted = [Folder(*words[at : at + 3]) for at in range(2, len(words), 3)]
    keep_database(load_catalog(rules, corpus, trusted=trusted).literals, cache_folder())
