"""`logsense signatures`: lists, searches and reads the messages that are known."""

from __future__ import annotations

from logsense.cli.causes import fix, strength
from logsense.cli.knowledge import browse, samples, signature_file
from logsense.model.rule import Combined, Found, FrameworkIs, NotFound
from logsense.render.knowledge import Entry, Item, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logsense.cli.options import Settings
    from logsense.model.knowledge import Catalog
    from logsense.model.rule import Condition, Rule
    from logsense.model.signature import Signature


def applies(conditions: Iterable[Condition], name: str, catalog: Catalog) -> bool | None:
    """Whether all `conditions` hold in a log of which only the message `name` is known; None where that is open."""
    program = catalog.programs().get(name.partition(".")[0])
    framework = program.framework if program else ""
    held = [_holds(one, name, framework, catalog) for one in conditions]
    return False if False in held else None if None in held else True


def _holds(condition: Condition, name: str, framework: str, catalog: Catalog) -> bool | None:
    """Whether the condition holds; None where the message alone does not tell."""
    if isinstance(condition, Found):
        return (name in catalog.expand(condition.ids)) and (None if condition.where or condition.times > 1 else True)
    if isinstance(condition, NotFound):
        return name not in catalog.expand(condition.ids)
    if isinstance(condition, FrameworkIs):
        return framework in condition.names if framework else None
    if not isinstance(condition, Combined):
        return None
    parts = [_holds(one, name, framework, catalog) for one in condition.parts]
    decisive = condition.how != "all"  # any and none are decided by a part that holds, all by one that does not
    found = decisive if decisive in parts else None if None in parts else not decisive
    return not found if condition.how == "none" and found is not None else found


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
# Of the causes that a message speaks for most, so many fixes each are shown; their own pages have all.
CAUSES = 3
FIXES = 2
EXAMPLES = 2


def run(given: dict[str, object]) -> int:
    """Runs the command with the words and options `given`; gives the exit status."""
    return browse(given, entries, _page)


def entries(catalog: Catalog) -> list[Entry]:
    """All signatures, by id."""
    found = (catalog.signature(number) for number in range(len(catalog.ids)))
    return sorted(Entry(one.id, one.title, one.kind) for one in found)


def _page(catalog: Catalog, name: str, chosen: Settings) -> Page | None:
    """The page of one signature, with its causes in the order in which its samples are explained with them."""
    if name not in catalog.ids:
        return None
    from logsense.authoring.likely import likely

    weights = {rule.cause: weight for weight, rule in _rules(catalog, name)}
    texts = [one["text"] for one in samples(signature_file(name, chosen), "positive")]
    return page(catalog, name, chosen, likely(catalog, weights, texts))


def _rules(catalog: Catalog, name: str) -> list[tuple[float, Rule]]:
    """The rules that argue from the signature `name`, and how strongly."""
    weighed = [(strength(rule, name, catalog), rule) for rule in catalog.rules_for(frozenset({name}))]
    return sorted((item for item in weighed if item[0] > 0), key=lambda item: (-item[0], item[1].cause))


def page(catalog: Catalog, name: str, chosen: Settings, means: Sequence[str] = ()) -> Page | None:
    """The page of the signature `name`; None if there is none of that id. `means` are its causes, likeliest first."""
    if name not in catalog.ids:
        return None
    signature = catalog.signature(catalog.ids.index(name))
    data = signature_file(name, chosen)
    places = {cause: place for place, cause in enumerate(means)}
    rules = sorted(_rules(catalog, name), key=lambda item: places.get(item[1].cause, len(places)))
    printed = [*_templates(data, "match", signature), *_templates(data, "also", None)]
    near = [(one["text"], one["because"]) for one in samples(data, "negative")]
    sections = (
        ("What you see", tuple(Item("", code=one["text"]) for one in samples(data, "positive")[:EXAMPLES])),
        (
            "Why it happens",
            (
                *((Item(signature.says),) if signature.says else ()),
                *(Item(catalog.causes.get(o.cause, ""), remark=o.cause, link=f"causes/{o.cause}") for _, o in rules),
            ),
        ),
        (
            "How to tell",
            tuple(Item(f"Not this message: {because}.", code=text) for text, because in near if text and because),
        ),
        ("Fixes", tuple(item for _, rule in rules[:CAUSES] for item in _fixes(rule.cause, name, catalog))),
        ("Messages", tuple(Item("", code=text) for text in printed)),
        ("References", tuple(Item("", code=address) for address in signature.printed_by)),
    )
    lead = f"{signature.kind.capitalize()}: {_KINDS[signature.kind]}."
    return Page(name, signature.title, lead, sections)


def _fixes(cause: str, name: str, catalog: Catalog) -> list[Item]:
    """Fixes of a cause for who sees this message: first those that hold for it whatever else the log says."""
    whole = catalog.rule(cause)
    held = [(applies(one.when, name, catalog), one) for one in (whole.fixes if whole else ())]
    fitting = [(state, one) for state, one in held if state is not False]
    return [fix(one) for _, one in sorted(fitting, key=lambda item: item[0] is None)[:FIXES]]


def _templates(data: dict[str, object], key: str, signature: Signature | None) -> list[str]:
    found = data.get(key)
    if found is None and signature is not None:
        return [pattern.regex for pattern in signature.match]
    return [str(one) for one in found] if isinstance(found, list) else [str(found)] if found else []
