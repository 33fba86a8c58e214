"""Render the known causes and messages: a list, or the page of one, as text, JSON, Markdown or HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape

from logsense.render.clean import one_line
from logsense.render.layout import Look, Sheet
from logsense.render.markdown import code, fence, prose
from logsense.util.noun import NamedTuple


class Entry(NamedTuple):
    """One row of a list."""

    id: str
    says: str
    kind: str = ""


class Item(NamedTuple):
    """A paragraph of a page: a sentence, a remark on it, code to copy or quote, and the path of a linked page."""

    says: str
    remark: str = ""
    code: str = ""
    link: str = ""


class Page(NamedTuple):
    """The page of one cause or message; `sections` are headings with their items."""

    id: str
    title: str
    lead: str
    sections: tuple[tuple[str, tuple[Item, ...]], ...]


def readable(text: str) -> str:
    """Return `text` with placeholders `{name}` as ‹name›."""
    return re.sub(r"\{([\w.]+)\}", r"‹\1›", text).replace("{{", "{").replace("}}", "}")


def render_list(entries: Sequence[Entry], format: str, look: Look) -> str:
    """Return `entries` as `format`, one per row; text separates the families. `look` applies to text."""
    if format == "json":
        return _json([{"id": one.id, "says": one.says, **({"kind": one.kind} if one.kind else {})} for one in entries])
    if format == "text":
        return _list_text(entries, look)

    lines = [f"- {code(one.id)}: {prose(one.says)}" for one in entries]
    return _as_format("\n".join(lines) + "\n", format)


def render_page(page: Page, format: str, look: Look, *, linked: bool = False) -> str:
    """Return `page` as `format`. `linked` Markdown links to other pages in sibling folders. `look` applies to text."""
    page = page._replace(sections=tuple(section for section in page.sections if section[1]))
    if format == "json":
        sections = {heading: [item._asdict() for item in items] for heading, items in page.sections}
        return _json({"id": page.id, "title": page.title, "lead": page.lead, "sections": sections})
    if format == "text":
        return _page_text(page, look)

    blocks = [f"# {prose(page.title)}", code(page.id), prose(page.lead)]
    for heading, items in page.sections:
        blocks.append(f"## {heading}")
        for item in items:
            blocks += _markdown_item(item, linked=linked)
    return _as_format("\n\n".join(block for block in blocks if block) + "\n", format)


def _markdown_item(item: Item, *, linked: bool) -> list[str]:
    if linked and not item.says and item.code.startswith("https://"):
        return [f"- <{item.code}>"]
    says = f"[{prose(item.says)}](../{item.link}.md)" if linked and item.link else prose(item.says)
    remark = f" *({prose(item.remark)})*" if item.remark else ""
    return [*([f"- {says}{remark}"] if item.says else []), *([fence(item.code)] if item.code else [])]


def _list_text(entries: Sequence[Entry], look: Look) -> str:
    sheet = Sheet(look)
    family = None
    for one in entries:
        if one.id.partition(".")[0] != family:
            family = one.id.partition(".")[0]
            sheet.gap()
        if look.width >= 90:
            sheet.prose([(one.says, "")], first=(f"{one.id:<38}  ", "code"), limit=look.width)
        else:
            sheet.code(one.id, indent=0)
            sheet.prose([(one.says, "")], indent=4)
    return sheet.text()


def _page_text(page: Page, look: Look) -> str:
    sheet = Sheet(look)
    sheet.prose([(page.title, "bold"), (f"  ({page.id})", "dim")])
    if page.lead:
        sheet.gap()
        sheet.prose([(page.lead, "")], indent=2)
    for heading, items in page.sections:
        sheet.gap()
        sheet.prose([(heading, "bold")])
        for item in items:
            if item.says:
                remark = (f"  ({item.remark})" if item.remark else "", "dim")
                sheet.prose([(item.says, ""), remark], first=("• ", ""), indent=2)
            if item.code:
                sheet.address(item.code, indent=4 + 2 * bool(item.says))
    return sheet.text()


def _as_format(markdown: str, format: str) -> str:
    if format != "html":
        return markdown
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>logsense</title></head>'
        f"<body><pre style='white-space:pre-wrap'>{escape(markdown)}</pre></body></html>\n"
    )


def _json(data: object) -> str:
    return json.dumps(data, indent=1) + "\n"


def has_words(text: str, words: Sequence[str]) -> bool:
    """Return whether all `words` occur in `text` as whole words, ignoring case."""
    return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) for word in words)


def matches(entry: Entry, words: Sequence[str]) -> bool:
    """Return whether all `words` occur in the entry, ignoring case."""
    text = one_line(f"{entry.id} {entry.says} {entry.kind}").lower()
    return all(word.lower() in text for word in words)
