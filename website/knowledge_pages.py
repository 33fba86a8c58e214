"""Writes the pages of all causes and of the messages of each program, and an index of each, for the site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from logsense.cli import causes, signatures
from logsense.cli.options import Settings
from logsense.model.knowledge import Catalog
from logsense.render.knowledge import Entry, Page, readable, render_page
from logsense.render.layout import Look
from logsense.render.markdown import prose

# People find messages by pasting them; in the site's search they would bury everything else.
NOT_SEARCHED = "---\nsearch:\n  exclude: true\nhide: [toc]\n---\n\n"
# The sections of a message; the others are on the pages of its causes.
SECTIONS = ("What you see", "Why it happens", "Messages", "References")
_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(\.\./messages/(([\w-]+)\.[\w.-]+)\.md\)")
_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


def write(folder: Path, catalog: Catalog, means: Mapping[str, Sequence[str]]) -> None:
    """Write a page for each cause and for the messages of each program, and an index of each kind.

    `means` maps each message to its causes, likeliest first.
    """
    lists = {"causes": causes.entries(catalog), "messages": signatures.entries(catalog)}
    for kind in lists:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for one in lists["causes"]:
        page = causes.page(catalog, one.id, Settings(), _typical(one.id, means))
        assert page, "every listed id has a page"
        (folder / "causes" / f"{one.id}.md").write_text(_text(page), "utf-8")
    titles = {name: program.title for name, program in catalog.programs().items()}
    programs: dict[str, list[str]] = {}
    for one in lists["messages"]:
        page = signatures.page(catalog, one.id, Settings(), means.get(one.id, ()))
        assert page, "every listed id has a page"
        programs.setdefault(one.id.partition(".")[0], []).append(_part(page))
    for name, parts in programs.items():
        text = "\n".join([f"{NOT_SEARCHED}# {prose(titles.get(name) or name)}\n", *parts])
        (folder / "messages" / f"{name}.md").write_text(text, "utf-8")
    (folder / "causes" / "index.md").write_text(_causes(lists["causes"]), "utf-8")
    (folder / "messages" / "index.md").write_text(_messages(lists["messages"], titles), "utf-8")


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
    text = _LINK.sub(r"](../messages/\2.md#\1)", render_page(page, "markdown", Look(), linked=True))
    # Output blocks wrap on the screen (assets/site.css), unlike diagrams on other pages.
    return re.sub(r"^(`{3,})text$", r"\1output", text, flags=re.MULTILINE)


def _part(page: Page) -> str:
    """Return a message as a section of its program's page, with its id as the anchor."""
    # In a heading, braces would be read as attributes.
    sections = tuple(one for one in page.sections if one[0] in SECTIONS)
    text = _text(page._replace(title=readable(page.title), sections=sections))
    title, _, rest = text.partition("\n")
    at, parts = 0, []
    for fence in _FENCED.finditer(rest):
        parts += [_HEADING.sub(r"**\1**", rest[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([f"#{title} {{ #{page.id} }}\n", *parts, _HEADING.sub(r"**\1**", rest[at:])])


def _causes(entries: Sequence[Entry]) -> str:
    lead = f"Why runs fail: {len(entries)} causes. `logsense causes WORD` searches them in a terminal."
    return _index("Causes", lead, entries, {}, "{id}.md")


def _messages(entries: Sequence[Entry], titles: Mapping[str, str]) -> str:
    lead = f"{len(entries)} messages are known. The quickest way to one of them is to [paste it](../recognize.md)."
    return NOT_SEARCHED + _index("Messages", lead, entries, titles, "{program}.md#{id}")


def _index(title: str, lead: str, entries: Iterable[Entry], titles: Mapping[str, str], link: str) -> str:
    families: dict[str, list[str]] = {}
    for one in entries:
        family = one.id.partition(".")[0]
        families.setdefault(family, []).append(f"- [{prose(one.says)}]({link.format(program=family, id=one.id)})")
    blocks = [f"# {title}", lead]
    for name, rows in families.items():
        blocks += [f"## {prose(titles.get(name) or name)}", "\n".join(rows)]
    return "\n\n".join(blocks) + "\n"
