"""`logsense signatures`: the messages that are known, to list, search and read."""

from __future__ import annotations

import os

from logsense.catalog.files import built_in, read_yaml
from logsense.cli.knowledge import browse
from logsense.render.knowledge import Entry, Item, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.cli.options import Settings
    from logsense.model.catalog import Catalog
    from logsense.model.signature import Signature

_KINDS = {
    "failure": "something failed, and this may be the root",
    "consequence": "printed because something else failed first",
    "hint": "no failure by itself, but may explain one that comes later",
    "fact": "carries values",
    "progress": "training goes on",
    "checkpoint": "the run can go on from here",
    "start": "a new run begins here",
    "end": "the run ended well",
    "noise": "looks alarming, does not matter",
}


def run(given: dict[str, object]) -> int:
    """Runs the command with the words and options `given`; gives the exit status."""
    return browse(given, entries, page)


def entries(catalog: Catalog) -> list[Entry]:
    """All signatures, by id."""
    found = (catalog.signature(number) for number in range(len(catalog.ids)))
    return sorted(Entry(one.id, one.title, one.kind) for one in found)


def page(catalog: Catalog, name: str, chosen: Settings) -> Page | None:
    """The page of the signature `name`; None if there is none of that id."""
    if name not in catalog.ids:
        return None
    signature = catalog.signature(catalog.ids.index(name))
    data = _file(name, chosen)
    causes = [rule.cause for rule in catalog.rules_for(frozenset({name}))]
    sections = (
        ("As printed", tuple(Item("", code=text) for text in _templates(data, "match", signature))),
        ("In the same message", tuple(Item("", code=text) for text in _templates(data, "also", None))),
        ("For example", tuple(Item("", code=text) for text in _samples(data))),
        ("Why it does not matter", (Item(signature.says),) if signature.says else ()),
        ("Causes that it may speak for", tuple(Item(catalog.causes.get(one, ""), code=one) for one in sorted(causes))),
        ("Printed by", tuple(Item("", code=address) for address in signature.printed_by)),
    )
    lead = f"{signature.kind.capitalize()}: {_KINDS[signature.kind]}."
    return Page(name, signature.title, lead, tuple(section for section in sections if section[1]))


def _file(name: str, chosen: Settings) -> dict[str, object]:
    program, _, message = name.partition(".")
    for folder in (chosen.corpus, built_in("corpus")):
        path = os.path.join(folder, program, f"{message}.yaml") if folder else ""
        if path and os.path.isfile(path):
            data, _ = read_yaml(path)
            return data if isinstance(data, dict) else {}
    return {}


def _templates(data: dict[str, object], key: str, signature: Signature | None) -> list[str]:
    found = data.get(key)
    if found is None and signature is not None:
        return [pattern.regex for pattern in signature.match]
    return [str(one) for one in found] if isinstance(found, list) else [str(found)] if found else []


def _samples(data: dict[str, object]) -> list[str]:
    samples = data.get("samples")
    positive = samples.get("positive") if isinstance(samples, dict) else None
    first = positive[0] if isinstance(positive, list) and positive else None
    return [str(first["text"]).strip("\n")] if isinstance(first, dict) and "text" in first else []
