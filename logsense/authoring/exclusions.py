"""Refuse fixes and checks that say which messages they are not for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logsense.catalog.decode import Path, Problems
from logsense.model.knowledge import Catalog
from logsense.model.rule import CheckRule, Combined, Condition, FixRule, Found, NotFound

TABLE = "exclusions"


def check_exclusions(
    own: str, offered: Iterable[tuple[Path, FixRule | CheckRule]], catalog: Catalog, problems: Problems
) -> None:
    """Report what fixes and checks of `own`, a cause or message, exclude, if that is more than the table allows."""
    table = catalog.table(TABLE)
    allowed = next((row["ids"] for row in table.rows if row["file"] == own), 0) if table else 0
    found = [(at, one) for at, item in offered for one in excluded(item.when) if one != own and "*" not in one]
    if len(found) > int(str(allowed)):
        for at, one in found:
            problems.add(at, f"excludes {one}; say what it is for, with applies, otherwise or the message's own fixes")


def excluded(conditions: Iterable[Condition], *, negated: bool = False) -> Iterator[str]:
    """Yield the ids of the messages without which `conditions` hold, with `*` as written."""
    for one in conditions:
        if isinstance(one, Combined):
            yield from excluded(one.parts, negated=negated != (one.how == "none"))
        elif isinstance(one, Found if negated else NotFound):
            yield from one.ids
