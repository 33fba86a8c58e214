"""`logsense causes`: the causes that can be told, to list, search and read."""

from __future__ import annotations

from bisect import bisect_left

from logsense.cli.knowledge import browse, sample_of
from logsense.model.rule import Combined, EndsAfter, Found
from logsense.render.knowledge import Entry, Item, Page, readable
from logsense.render.words import risk_in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.model.rule import CheckRule, Condition, FixRule, Rule, Text

# How many of the messages that speak most strongly for a cause are shown as they are printed.
SEEN = 4


def run(given: dict[str, object]) -> int:
    """Runs the command with the words and options `given`; gives the exit status."""
    return browse(given, entries, page)


def entries(catalog: Catalog) -> list[Entry]:
    """All causes, in the catalog's order."""
    return [Entry(cause, says) for cause, says in catalog.causes.items()]


def page(catalog: Catalog, cause: str, chosen: Settings, first: Sequence[str] = ()) -> Page | None:
    """The page of `cause`; None if there is none of that id. Of its messages, those in `first` are shown first."""
    if cause not in catalog.causes:
        return None
    rule = catalog.rule(cause)
    lead = catalog.causes[cause]
    if rule is None:
        return Page(cause, cause, lead, (("What is missing", (Item("No rule tells this cause yet."),)),))
    return Page(cause, plain(rule.title), lead, tuple(_sections(rule, catalog, chosen, first)))


def _sections(
    rule: Rule, catalog: Catalog, chosen: Settings, first: Sequence[str]
) -> Iterator[tuple[str, tuple[Item, ...]]]:
    known = _messages(rule, catalog)
    messages = list(dict.fromkeys([*(one for one in first if one in known), *known]))
    reasons = [(one.says, one.weight) for one in rule.arguments] + [(one.says, one.weight) for one in rule.evidence]
    seen = [text for one in messages if (text := sample_of(one, chosen))][:SEEN]
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
    titles = [(one, catalog.signature(catalog.ids.index(one)).title) for one in messages]
    yield "Messages", tuple(Item(title, remark=one, link=f"messages/{one}") for one, title in titles)
    yield "References", tuple(Item("", code=address) for address in rule.references)


def _messages(rule: Rule, catalog: Catalog) -> list[str]:
    """The signatures that the rule argues from: those that it names before those of whole programs, strongest first."""
    named = {one for argument in rule.arguments for one in _patterns(argument.when)}
    known = strengths(rule, catalog)
    return sorted(known, key=lambda one: (one not in named, -known[one]))


def strength(rule: Rule, name: str, catalog: Catalog) -> float:
    """How strongly the signature `name` speaks for the rule's cause; 0 where it does not."""
    return strengths(rule, catalog).get(name, 0.0)


def strengths(rule: Rule, catalog: Catalog) -> dict[str, float]:
    """How strongly each signature that the rule argues from speaks for its cause: the weight of the best argument that
    asks for it, less the more else it asks for."""
    found: dict[str, float] = {}
    for one in rule.arguments:
        for name in _ids(one.when, catalog):
            found[name] = max(found.get(name, 0.0), one.weight / len(one.when))
    return found


def _ids(conditions: Sequence[Condition], catalog: Catalog) -> Iterator[str]:
    for one in _patterns(conditions):
        yield from sorted(name for name in catalog.expand((one,)) if _is_known(name, catalog.ids))


def _patterns(conditions: Sequence[Condition]) -> Iterator[str]:
    """The ids that the conditions ask for, as they are written: with a `*` where they mean several."""
    for condition in conditions:
        if isinstance(condition, (Found, EndsAfter)):
            yield from condition.ids
        elif isinstance(condition, Combined) and condition.how != "none":
            yield from _patterns(condition.parts)


def _is_known(name: str, ids: Sequence[str]) -> bool:
    at = bisect_left(ids, name)
    return at < len(ids) and ids[at] == name


def _reasons(kind: str, reasons: Sequence[tuple[Text, float]], sign: int) -> tuple[Item, ...]:
    texts = dict.fromkeys(plain(says) for says, weight in reasons if weight * sign > 0)
    return tuple(Item(kind + text) for text in texts if text)


def fix(one: FixRule) -> Item:
    """A fix, as a page shows it."""
    return Item(plain(one.do), risk_in_words(one.risk), plain(one.run, command=True))


def check(one: CheckRule) -> Item:
    """A check that decides, as a page shows it."""
    return Item(plain(one.do), code=plain(one.run, command=True))


def plain(text: Text, *, command: bool = False) -> str:
    """The wording that needs least to be known: the last one."""
    last = text.variants[-1][1] if text.variants else ""
    return readable(last if command else " ".join(last.split()))
