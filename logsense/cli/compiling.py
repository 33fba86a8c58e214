"""Compiles what is known in a process of its own: the memory that it takes would stay beside a job for days."""

from __future__ import annotations

import sys
import time

from logsense.catalog.files import Folder
from logsense.catalog.load import cache_folder, can_keep, is_kept, load_catalog
from logsense.cli.output import COMPILING, is_terminal, note
from logsense.jobs.beside import Beside
from logsense.match.engines import are_kept, keep_databases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog

_LOOK_S = 0.02
_MOST_S = 60.0  # then it is done here


def compile_in_background(settings: Settings, catalog: Catalog | None = None) -> None:
    """Compile the knowledge where that was not done yet, so that it need only be read. Nothing is raised.

    With the `catalog`, which is read by then, that is what large logs are searched with. Where it can't be kept, or no
    process can be started, it is left to who asks for it.
    """
    if catalog:
        folder = catalog.cache_folder
        done = folder is None or are_kept(catalog.literals, folder) or not can_keep(folder)
    else:
        done = is_kept(settings.rules, settings.corpus, settings.trusted)
    if done or not sys.executable:
        return
    if is_terminal(sys.stderr):
        note(COMPILING, settings)
    try:
        trusted = [word for folder in settings.trusted for word in folder]
        process = Beside(__name__, [settings.rules or "", settings.corpus or "", *trusted], bound=True)
    except OSError:
        return
    until_s = time.monotonic() + _MOST_S
    while not process.ended() and time.monotonic() < until_s:
        time.sleep(_LOOK_S)
    process.release()


def main(words: Sequence[str]) -> None:
    """Compiles and keeps the knowledge, with the folders in `words` added, if any: the user's rules and signatures, and
    three words for each of a trusted project."""
    rules, corpus = (word or None for word in words[:2])
    trusted = [Folder(*words[at : at + 3]) for at in range(2, len(words), 3)]
    keep_databases(load_catalog(rules, corpus, trusted=trusted).literals, cache_folder())
