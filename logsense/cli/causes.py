"""`logsense causes`: the causes that can be told, to list, search and read."""

from __future__ import annotations

from logsense.cli.knowledge import browse
from logsense.render.knowledge import Entry, Item, Page, readable
from logsense.render.words import risk_in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.cli.options import Settings
    from logsense.model.catalog import Catalog
    from logsense.model.rule import CheckRule, FixRule, Rule, Text


def run(given: dict[str, object]) -> int:
    """Runs the command with the words and options `given`; gives the exit status."""
    return browse(given, entries, page)


def entries(catalog: Catalog) -> list[Entry]:
    """All causes, in the catalog's order."""
    return [Entry(cause, says) for cause, says in catalog.causes.items()]


def page(catalog: Catalog, cause: str, _chosen: Settings) -> Page | None:
    """The page of `cause`; None if there is none of that id."""
    if cause not in catalog.causes:
        return None
    rule = catalog.rule(cause)
    lead = catalog.causes[cause]
    if rule is None:
        return Page(cause, cause, lead, (("What is missing", (Item("No rule tells this cause yet."),)),))
    return Page(cause, _plain(rule.title), lead, tuple(section for section in _sections(rule) if section[1]))


def _sections(rule: Rule) -> list[tuple[str, tuple[Item, ...]]]:
    reasons = [(one.says, one.weight) for one in rule.arguments] + [(one.says, one.weight) for one in rule.evidence]
    return [
        ("What it means", tuple(Item(text) for text in [_plain(rule.explain)] if text)),
        ("What speaks for it", _reasons(reasons, 1)),
        ("What speaks against it", _reasons(reasons, -1)),
        ("What to do", tuple(_fix(fix) for fix in rule.fixes)),
        ("How to be sure", tuple(_check(check) for check in rule.decide)),
        ("Read more", tuple(Item("", code=address) for address in rule.references)),
    ]


def _reasons(reasons: Sequence[tuple[Text, float]], sign: int) -> tuple[Item, ...]:
    texts = dict.fromkeys(_plain(says) for says, weight in reasons if weight * sign > 0)
    return tuple(Item(text) for text in texts if text)


def _fix(fix: FixRule) -> Item:
    return Item(_plain(fix.do), risk_in_words(fix.risk), _plain(fix.run, command=True))


def _check(check: CheckRule) -> Item:
    return Item(_plain(check.do), code=_plain(check.run, command=True))


def _plain(text: Text, *, command: bool = False) -> str:
    """The wording that needs least to be known: the last one."""
    last = text.variants[-1][1] if text.variants else ""
    return readable(last if command else " ".join(last.split()))
