"""Write all known causes and messages as a folder of linked Markdown pages."""

from __future__ import annotations

import os
from collections.abc import Sequence

from logsense.catalog.load import load_catalog
from logsense.cli import causes, signatures
from logsense.cli.options import Settings
from logsense.render.knowledge import Entry, render_page
from logsense.render.look import Look
from logsense.render.markdown import prose


def write_pages(folder: str) -> int:
    """Write a page for each cause and each message below `folder`, and an index. Return the number of pages.

    Raise OSError if the folder can't be written.
    """
    catalog, settings = load_catalog(), Settings()
    lists = {"causes": causes.entries(catalog), "messages": signatures.entries(catalog)}
    for kind, page_of in (("causes", causes.page), ("messages", signatures.page)):
        os.makedirs(os.path.join(folder, kind), exist_ok=True)
        for entry in lists[kind]:
            page = page_of(catalog, entry.id, settings)
            assert page, "every listed id has a page"
            _write(folder, f"{kind}/{entry.id}.md", render_page(page, "markdown", Look(), linked=True))
    _write(folder, "index.md", _index(lists))
    return sum(map(len, lists.values())) + 1


def _index(lists: dict[str, list[Entry]]) -> str:
    blocks = ["# What logsense knows"]
    for kind, entries in lists.items():
        blocks.append(f"## {kind.capitalize()}")
        blocks += [_family(kind, name, entries) for name in dict.fromkeys(one.id.partition(".")[0] for one in entries)]
    return "\n\n".join(blocks) + "\n"


def _family(kind: str, name: str, entries: Sequence[Entry]) -> str:
    rows = [f"- [{prose(one.says)}]({kind}/{one.id}.md)" for one in entries if one.id.partition(".")[0] == name]
    return f"### {prose(name)}\n\n" + "\n".join(rows)


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
