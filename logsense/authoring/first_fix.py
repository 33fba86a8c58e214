"""Refuse messages that argue for a cause and offer no fix of their own."""

from __future__ import annotations

from logsense.authoring.references import ids_asked
from logsense.catalog.decode import Problems
from logsense.model.knowledge import Catalog
from logsense.model.signature import FIXES_OF_CAUSE, Signature


def check_first_fix(signature: Signature, data: dict[str, object], catalog: Catalog, problems: Problems) -> None:
    """Report a failure that argues without a fix, and one that says that it has none where it has.

    A fix of a cause counts if it asks for the message, or for fewer than all messages of its program.
    """
    means = data.get("means")
    items = [item for item in means if isinstance(item, dict)] if isinstance(means, list) else []
    causes = [str(item.get("cause")) for item in items if "strength" in item]
    own = any(item.get("fixes") for item in items) or _is_asked_for(signature.id, catalog)
    if data.get("fixes") == FIXES_OF_CAUSE:
        if own:
            problems.add(("fixes",), f"{FIXES_OF_CAUSE}, but the message has fixes of its own")
    elif causes and not own and signature.kind == "failure":
        problems.add(
            ("means",),
            f"argues for {causes[0]} and has no fix: write what to do first, under fixes, or fixes: {FIXES_OF_CAUSE} "
            "for the message if those of the cause fit it as they are",
        )


def _is_asked_for(message: str, catalog: Catalog) -> bool:
    """Return whether a fix of one of its causes asks for the message."""
    rules = filter(None, map(catalog.rule, catalog.causes_of().get(message, ())))
    asked = {one for rule in rules for fix in rule.fixes for one in ids_asked(fix.when) if not one.endswith(".*")}
    return message in catalog.expand((*asked,))
