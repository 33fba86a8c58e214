"""`logsense causes`: list, search or show the known causes."""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches

from logsense.authoring.references import ids_asked
from logsense.catalog.files import built_in
from logsense.catalog.yaml_files import read_yaml
from logsense.cli.commands import PAGE_FORMAT
from logsense.cli.explain import catalog_of
from logsense.cli.options import Settings
from logsense.cli.output import look_of, note, show
from logsense.cli.settings import settings_of, stored_settings
from logsense.model.knowledge import Catalog
from logsense.model.rule import STRENGTHS, CheckRule, Condition, FixRule, Rule, Text
from logsense.render.knowledge import Entry, Item, Page, has_words, matches, readable, render_list, render_page
from logsense.render.words import risk_in_words

MOST_SAMPLES = 4  # of the messages with the strongest arguments


def run(options: dict[str, object]) -> int:
    """Run the command with `options` (and words); return the exit status."""
    return browse(options, entries, page, titles)


def entries(catalog: Catalog) -> list[Entry]:
    """Return all causes, in the order of the catalog."""
    return [Entry(cause, says) for cause, says in catalog.causes.items()]


def titles(catalog: Catalog, cause: str) -> Iterator[str]:
    """Yield the title of `cause` and those of the messages that point to it."""
    rule = catalog.rule(cause)
    if rule:
        yield plain(rule.title)
        telling = (one for one, weight in strengths(rule, catalog).items() if weight >= STRENGTHS["points_to"])
        yield from (one.title for one in map(catalog.find, telling) if one)


def page(catalog: Catalog, cause: str, settings: Settings, first: Sequence[str] = ()) -> Page | None:
    """Return the page of `cause`, or None if it does not exist. Of its messages, those in `first` come first."""
    if cause not in catalog.causes:
        return None
    rule = catalog.rule(cause)
    lead = catalog.causes[cause]
    if rule is None:
        return Page(cause, cause, lead, (("What is missing", (Item("This cause has no rule yet."),)),))
    return Page(cause, plain(rule.title), lead, tuple(_sections(rule, catalog, settings, first)))


def _sections(
    rule: Rule, catalog: Catalog, settings: Settings, first: Sequence[str]
) -> Iterator[tuple[str, tuple[Item, ...]]]:
    known = _messages(rule, catalog)
    messages = list(dict.fromkeys([*(one for one in first if one in known), *known]))
    reasons = [(one.says, one.weight) for one in rule.arguments] + [(one.says, one.weight) for one in rule.evidence]
    seen = [text for one in messages if (text := sample_of(one, settings))][:MOST_SAMPLES]
    yield "What you see", tuple(Item("", code=text) for text in seen)
    yield "Why it happens", tuple(Item(text) for text in [plain(rule.explain)] if text)
    yield (
        "How to tell",
        (
            *(check(one) for one in rule.decide),
            *_reasons("For it: ", reasons, 1),
            *_reasons("Against it: ", reasons, -1),
        ),
    )
    yield "Fixes", tuple(fix(one) for one in rule.fixes)
    titles = [(one, signature.title) for one in messages if (signature := catalog.find(one))]
    yield "Messages", tuple(Item(title, remark=one, link=f"messages/{one}") for one, title in titles)
    yield "References", tuple(Item("", code=address) for address in rule.references)


def _messages(rule: Rule, catalog: Catalog) -> list[str]:
    """Return the signatures of the rule's arguments: named ones before wildcards, strongest first."""
    named = {one for argument in rule.arguments for one in ids_asked(argument.when)}
    known = strengths(rule, catalog)
    return sorted(known, key=lambda one: (one not in named, -known[one]))


def strength(rule: Rule, name: str, catalog: Catalog) -> float:
    """Return how strongly the signature `name` argues for the rule's cause; 0 if it does not."""
    return strengths(rule, catalog).get(name, 0.0)


def strengths(rule: Rule, catalog: Catalog) -> dict[str, float]:
    """Return how strongly each signature argues for the rule's cause.

    It is the weight of the best argument with it, divided by the number of that argument's conditions.
    """
    found: dict[str, float] = {}
    for one in rule.arguments:
        for name in _ids(one.when, catalog):
            found[name] = max(found.get(name, 0.0), one.weight / len(one.when))
    return found


def _ids(conditions: Sequence[Condition], catalog: Catalog) -> Iterator[str]:
    for one in ids_asked(conditions):
        yield from sorted(name for name in catalog.expand((one,)) if _is_known(name, catalog.ids))


def _is_known(name: str, ids: Sequence[str]) -> bool:
    at = bisect_left(ids, name)
    return at < len(ids) and ids[at] == name


def _reasons(kind: str, reasons: Sequence[tuple[Text, float]], sign: int) -> tuple[Item, ...]:
    texts = dict.fromkeys(plain(says) for says, weight in reasons if weight * sign > 0)
    return tuple(Item(kind + text) for text in texts if text)


def fix(one: FixRule) -> Item:
    """Return a fix as an item of a page."""
    return Item(plain(one.do), risk_in_words(one.risk), plain(one.run, command=True))


def check(one: CheckRule) -> Item:
    """Return a check as an item of a page."""
    return Item(plain(one.do), code=plain(one.run, command=True))


def plain(text: Text, *, command: bool = False) -> str:
    """Return the last wording of `text`, which depends on the fewest facts."""
    last = text.variants[-1][1] if text.variants else ""
    return readable(last if command else " ".join(last.split()))


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
