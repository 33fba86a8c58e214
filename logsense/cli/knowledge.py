"""What `logsense causes` and `logsense signatures` share: list, search, and show one page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from logsense.catalog.files import built_in, read_yaml
from logsense.cli.explain import catalog_of
from logsense.cli.options import PAGE_FORMAT, Settings
from logsense.cli.output import look_of, note, show
from logsense.cli.settings import settings_of, stored_settings
from logsense.model.knowledge import Catalog
from logsense.render.knowledge import Entry, Page, has_words, matches, render_list, render_page

STATUS_NOT_FOUND = 2
MOST_SUGGESTIONS = 3
LEAST_TELLING = 4  # letters of a word that says what is searched for, unlike "out of"


def browse(
    options: dict[str, object],
    entries_of: Callable[[Catalog], Sequence[Entry]],
    page_of: Callable[[Catalog, str, Settings], Page | None],
    titles_of: Callable[[Catalog, str], Iterable[str]] = lambda catalog, name: (),
) -> int:
    """Print the page of the entry with the id in `options`, or else a list of entries, all or those with its words.

    If no entry has the words, list those of which one title, from `titles_of`, has them, or else those that have the
    longer words. Return the exit status.
    """
    options = dict(options)
    query = options.pop("words", None)
    words = [str(word) for word in query] if isinstance(query, (list, tuple)) else []
    settings = settings_of(options, stored_settings())
    if settings.format not in PAGE_FORMAT.choices:  # from a settings file, for reports
        settings = settings._replace(format="text")
    catalog = catalog_of(settings)
    look = look_of(sys.stdout, settings)
    if len(words) == 1 and words[0] in catalog.renamed:
        note(f"{words[0]} is now called {catalog.renamed[words[0]]}", settings)
        words = [catalog.renamed[words[0]]]
    page = page_of(catalog, words[0], settings) if len(words) == 1 else None
    if page:
        show(render_page(page, settings.format, look), sys.stdout, settings)
        return 0
    entries = entries_of(catalog)
    found = [entry for entry in entries if matches(entry, words)]
    found = found or [one for one in entries if any(has_words(title, words) for title in titles_of(catalog, one.id))]
    if telling := [word for word in words if len(word) >= LEAST_TELLING]:
        found = found or [entry for entry in entries if matches(entry, telling)]
    if not found:
        note(f"nothing matches {' '.join(words)!r}{_suggestions(' '.join(words), entries)}")
        return STATUS_NOT_FOUND
    show(render_list(found, settings.format, look), sys.stdout, settings)
    return 0


def signature_file(name: str, settings: Settings) -> dict[str, object]:
    """Return the content of the file of the signature `name`, the user's own first; empty if it does not exist."""
    program, _, message = name.partition(".")
    for folder in (settings.corpus, built_in("corpus")):
        path = os.path.join(folder, program, f"{message}.yaml") if folder else ""
        if path and os.path.isfile(path):
            data, _ = read_yaml(path)
            return data if isinstance(data, dict) else {}
    return {}


def samples(data: dict[str, object], key: str) -> list[dict[str, str]]:
    """Return the samples under `key` ("positive" or "negative") of a signature's file: texts and reasons."""
    listed = data.get("samples")
    found = listed.get(key) if isinstance(listed, dict) else None
    return [
        {"text": str(one.get("text", "")).strip("\n"), "because": str(one.get("because", "")).rstrip(".")}
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict)
    ]


def sample_of(name: str, settings: Settings) -> str:
    """Return a text that the signature `name` matches; empty if its file has none."""
    return next((one["text"] for one in samples(signature_file(name, settings), "positive")), "")


def _suggestions(word: str, entries: Sequence[Entry]) -> str:
    close = get_close_matches(word, [entry.id for entry in entries], n=MOST_SUGGESTIONS)
    return f"; did you mean {' or '.join(close)}?" if close else ""
