"""Refuse fixes and checks that say which messages they are not for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logsense.catalog.decode import Path, Problems
from logsense.model.rule import CheckRule, Combined, Condition, FixRule, Found, NotFound


def check_exclusions(own: str, offered: Iterable[tuple[Path, FixRule | CheckRule]], problems: Problems) -> None:
    """Report which other messages the fixes and checks of `own`, a cause or message, exclude."""
    for at, item in offered:
        for one in excluded(item.when):
            if one != own and "*" not in one:
                problems.add(
                    at, f"excludes {one}; say what it is for, with applies, otherwise or the message's own fixes"
                )


def excluded(conditions: Iterable[Condition], *, negated: bool = False) -> Iterator[str]:
    """Yield the ids of the messages without which `conditions` hold, with `*` as written."""
    for one in conditions:
        if isinstance(one, Combined):
            yield from excluded(one.parts, negated=negated != (one.how == "none"))
        elif isinstance(one, Found if negated else NotFound):
            yield from one.ids
