"""What `logsense causes` and `logsense signatures` have in common: list, search by words, read one."""

from __future__ import annotations

import os
import sys

from logsense.catalog.files import built_in, read_yaml
from logsense.cli.chosen import settings
from logsense.cli.explain import catalog_of
from logsense.cli.options import PAGE_FORMAT
from logsense.cli.output import look_of, note, show
from logsense.cli.settings import kept
from logsense.render.knowledge import Entry, matches, render_list, render_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.render.knowledge import Page

STATUS_NOT_FOUND = 2
MOST_GUESSES = 3


def browse(
    given: dict[str, object],
    entries_of: Callable[[Catalog], Sequence[Entry]],
    page_of: Callable[[Catalog, str, Settings], Page | None],
) -> int:
    """Lists all entries, or those with the words given, or prints the page of the one whose id is given."""
    given = dict(given)
    named = given.pop("words", None)
    words = [str(word) for word in named] if isinstance(named, (list, tuple)) else []
    chosen = settings(given, kept())
    if chosen.format not in PAGE_FORMAT.choices:  # a settings file names it, for answers of another kind
        chosen = chosen._replace(format="text")
    catalog = catalog_of(chosen)
    look = look_of(sys.stdout, chosen)
    if len(words) == 1 and words[0] in catalog.renamed:
        note(f"{words[0]} is now called {catalog.renamed[words[0]]}", chosen)
        words = [catalog.renamed[words[0]]]
    page = page_of(catalog, words[0], chosen) if len(words) == 1 else None
    if page:
        show(render_page(page, chosen.format, look), sys.stdout, chosen)
        return 0
    entries = entries_of(catalog)
    found = [entry for entry in entries if matches(entry, words)]
    if not found:
        note(f"nothing is known under {' '.join(words)!r}{_guesses(' '.join(words), entries)}")
        return STATUS_NOT_FOUND
    show(render_list(found, chosen.format, look), sys.stdout, chosen)
    return 0


def signature_file(name: str, chosen: Settings) -> dict[str, object]:
    """The content of the file of the signature `name`, the user's own before the built-in one; empty if it is gone."""
    program, _, message = name.partition(".")
    for folder in (chosen.corpus, built_in("corpus")):
        path = os.path.join(folder, program, f"{message}.yaml") if folder else ""
        if path and os.path.isfile(path):
            data, _ = read_yaml(path)
            return data if isinstance(data, dict) else {}
    return {}


def samples(data: dict[str, object], key: str) -> list[dict[str, str]]:
    """The samples under `key` ("positive" or "negative") of a signature's file: texts, and what is said of them."""
    listed = data.get("samples")
    found = listed.get(key) if isinstance(listed, dict) else None
    return [
        {"text": str(one.get("text", "")).strip("\n"), "because": str(one.get("because", "")).rstrip(".")}
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict)
    ]


def sample_of(name: str, chosen: Settings) -> str:
    """A text that the signature `name` matches; empty if its file holds none."""
    return next((one["text"] for one in samples(signature_file(name, chosen), "positive")), "")


def _guesses(word: str, entries: Sequence[Entry]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, [entry.id for entry in entries], n=MOST_GUESSES)
    return f"; did you mean {' or '.join(close)}?" if close else ""
