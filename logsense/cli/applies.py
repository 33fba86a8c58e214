"""Whether a condition of a rule can hold where just one message was found: what the page of a message may show."""

from __future__ import annotations

from logsense.model.rule import Combined, Found, FrameworkIs, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from logsense.model.catalog import Catalog
    from logsense.model.rule import Condition


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
