"""`logsense signatures`: list, search or show the known messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from logsense.authoring.likely import likely
from logsense.cli.causes import browse, fix, samples, signature_file, strength
from logsense.cli.options import Settings
from logsense.model.knowledge import Catalog
from logsense.model.rule import Combined, Condition, Found, FrameworkIs, NotFound, Rule
from logsense.model.signature import Signature
from logsense.render.knowledge import Entry, Item, Page

_KINDS = {
    "failure": "something failed; this can be the root cause",
    "consequence": "follows from another failure",
    "hint": "not a failure, but can explain a later one",
    "fact": "has values for the explanation",
    "progress": "training continues",
    "checkpoint": "the run can resume from here",
    "start": "a new run starts here",
    "end": "the run completed",
    "noise": "looks alarming, but is harmless",
}
# The likeliest causes of a message and their first fixes; the pages of the causes have all.
CAUSES = 3
FIXES = 2
EXAMPLES = 2


def applies(conditions: Iterable[Condition], name: str, catalog: Catalog) -> bool | None:
    """Return whether all `conditions` hold in a log with the message `name`; None if that depends on the rest."""
    program = catalog.programs().get(name.partition(".")[0])
    framework = program.framework if program else ""
    held = [_holds(one, name, framework, catalog) for one in conditions]
    return False if False in held else None if None in held else True


def _holds(condition: Condition, name: str, framework: str, catalog: Catalog) -> bool | None:
    """Return whether `condition` holds in a log with the message `name`; None if that depends on the rest."""
    if isinstance(condition, Found):
        return (name in catalog.expand(condition.ids)) and (None if condition.where or condition.times > 1 else True)
    if isinstance(condition, NotFound):
        return name not in catalog.expand(condition.ids)
    if isinstance(condition, FrameworkIs):
        return framework in condition.names if framework else None
    if not isinstance(condition, Combined):
        return None
    parts = [_holds(one, name, framework, catalog) for one in condition.parts]
    decisive = condition.how != "all"  # a part that holds decides "any" and "none"; one that does not decides "all"
    found = decisive if decisive in parts else None if None in parts else not decisive
    return not found if condition.how == "none" and found is not None else found


def run(options: dict[str, object]) -> int:
    """Run the command with `options` (and words); return the exit status."""
    return browse(options, entries, _page)


def entries(catalog: Catalog) -> list[Entry]:
    """Return all signatures, sorted by id."""
    found = (catalog.signature(number) for number in range(len(catalog.ids)))
    return sorted(Entry(one.id, one.title, one.kind) for one in found)


def _page(catalog: Catalog, name: str, settings: Settings) -> Page | None:
    """Return the page of one signature, with its causes ranked by explaining its samples."""
    if catalog.find(name) is None:
        return None
    weights = {rule.cause: weight for weight, rule in _rules(catalog, name)}
    texts = [one["text"] for one in samples(signature_file(name, settings), "positive")]
    return page(catalog, name, settings, likely(catalog, weights, texts))


def _rules(catalog: Catalog, name: str) -> list[tuple[float, Rule]]:
    """Return the rules with an argument for the signature `name`, and its strength, strongest first."""
    rules = filter(None, map(catalog.rule, catalog.causes_of().get(name, ())))
    weighed = [(strength(rule, name, catalog), rule) for rule in rules]
    return sorted((item for item in weighed if item[0] > 0), key=lambda item: (-item[0], item[1].cause))


def page(catalog: Catalog, name: str, settings: Settings, causes: Sequence[str] | None = None) -> Page | None:
    """Return the page of the signature `name`, or None if it does not exist.

    `causes` are its causes, ordered by likelihood; by default by how strongly the signature speaks for each.
    """
    signature = catalog.find(name)
    if signature is None:
        return None
    data = signature_file(name, settings)
    if causes is None:
        causes = [rule.cause for _, rule in _rules(catalog, name)]
    printed = [*_templates(data, "match", signature), *_templates(data, "also", None)]
    near = [(one["text"], one["because"]) for one in samples(data, "negative")]
    sections = (
        ("What you see", tuple(Item("", code=one["text"]) for one in samples(data, "positive")[:EXAMPLES])),
        (
            "Why it happens",
            (
                *((Item(signature.says),) if signature.says else ()),
                *(Item(catalog.causes.get(one, ""), remark=one, link=f"causes/{one}") for one in causes),
            ),
        ),
        (
            "How to tell",
            tuple(Item(f"Not this message: {because}.", code=text) for text, because in near if text and because),
        ),
        ("Fixes", tuple(item for cause in causes[:CAUSES] for item in _fixes(cause, name, catalog))),
        ("Messages", tuple(Item("", code=text) for text in printed)),
        ("References", tuple(Item("", code=address) for address in signature.printed_by)),
    )
    lead = f"{signature.kind.capitalize()}: {_KINDS[signature.kind]}."
    return Page(name, signature.title, lead, sections)


def _fixes(cause: str, name: str, catalog: Catalog) -> list[Item]:
    """Return fixes of a cause for this message, first those that apply whatever else the log and its setting say."""
    whole = catalog.rule(cause)
    held = [(applies(one.when, name, catalog), one) for one in (whole.fixes if whole else ())]
    fitting = [(state, one) for state, one in held if state is not False]
    program = catalog.programs().get(name.partition(".")[0])
    own = program.framework if program else ""
    fitting = [(state, one) for state, one in fitting if not own or own in dict(one.applies).get("framework", (own,))]
    asks = [(state is None or any(key != "framework" for key, _ in one.applies), one) for state, one in fitting]
    return [fix(one) for _, one in sorted(asks, key=lambda item: item[0])[:FIXES]]


def _templates(data: dict[str, object], key: str, signature: Signature | None) -> list[str]:
    found = data.get(key)
    if found is None and signature is not None:
        return [pattern.regex for pattern in signature.match]
    return [str(one) for one in found] if isinstance(found, list) else [str(found)] if found else []
