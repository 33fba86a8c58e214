"""Writes the pages of all causes and messages, and an index of each, for the site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from logsense.cli import causes, signatures
from logsense.cli.options import Settings
from logsense.model.knowledge import Catalog
from logsense.render.knowledge import Entry, Page, render_page
from logsense.render.look import Look
from logsense.render.markdown import prose

# People find messages by pasting them; in the site's search they would bury everything else.
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


def write(folder: Path, catalog: Catalog, means: Mapping[str, Sequence[str]]) -> None:
    """Write a page for each cause and each message, and an index of each kind.

    `means` maps each message to its causes, likeliest first.
    """
    lists = {"causes": causes.entries(catalog), "messages": signatures.entries(catalog)}
    for kind in lists:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for one in lists["causes"]:
        page = causes.page(catalog, one.id, Settings(), _typical(one.id, means))
        assert page, "every listed id has a page"
        (folder / "causes" / f"{one.id}.md").write_text(_text(page), "utf-8")
    for one in lists["messages"]:
        page = signatures.page(catalog, one.id, Settings(), means.get(one.id, ()))
        assert page, "every listed id has a page"
        (folder / "messages" / f"{one.id}.md").write_text(NOT_SEARCHED + _text(page), "utf-8")
    (folder / "causes" / "index.md").write_text(_causes(lists["causes"]), "utf-8")
    (folder / "messages" / "index.md").write_text(_messages(lists["messages"], catalog), "utf-8")


def _typical(cause: str, means: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the messages that mean `cause` first: one of each program, starting with programs with many messages."""
    typical = [name for name, meant in means.items() if meant[0] == cause]
    sizes = Counter(name.partition(".")[0] for name in means)
    turns: Counter[str] = Counter()
    placed = []
    for name in typical:
        program = name.partition(".")[0]
        placed.append((turns[program], -sizes[program], name))
        turns[program] += 1
    return [name for _, _, name in sorted(placed)]


def _text(page: Page) -> str:
    # Output blocks wrap on the screen (assets/site.css), unlike diagrams on other pages.
    return re.sub(r"^(`{3,})text$", r"\1output", render_page(page, "markdown", Look(), linked=True), flags=re.MULTILINE)


def _causes(entries: Sequence[Entry]) -> str:
    lead = f"Why runs fail: {len(entries)} causes. `logsense causes WORD` searches them in a terminal."
    return _index("Causes", lead, entries, {})


def _messages(entries: Sequence[Entry], catalog: Catalog) -> str:
    titles = {name: program.title for name, program in catalog.programs().items()}
    lead = f"{len(entries)} messages are known. The quickest way to one of them is to [paste it](../recognize.md)."
    return NOT_SEARCHED + _index("Messages", lead, entries, titles)


def _index(title: str, lead: str, entries: Iterable[Entry], titles: dict[str, str]) -> str:
    families: dict[str, list[str]] = {}
    for one in entries:
        families.setdefault(one.id.partition(".")[0], []).append(f"- [{prose(one.says)}]({one.id}.md)")
    blocks = [f"# {title}", lead]
    for name, rows in families.items():
        blocks += [f"## {prose(titles.get(name) or name)}", "\n".join(rows)]
    return "\n\n".join(blocks) + "\n"
