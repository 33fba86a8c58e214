"""Refuse advice that opens with a setting ("In Docker, …") without naming it under `applies`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from logsense.catalog.decode import Path, Problems
from logsense.model.knowledge import Catalog
from logsense.model.rule import CheckRule, FixRule

TABLE = "setting-openings"
_OPENING = re.compile(r"(?:or,? )?(?:in|on|under|with|inside|for) (?:an? |the )?([\w-]+)", re.IGNORECASE)


def check_openings(
    own: str, offered: Iterable[tuple[Path, FixRule | CheckRule]], catalog: Catalog, problems: Problems
) -> None:
    """Report fixes and checks of `own`, a cause or message, that open with a setting and are offered without it.

    A message of the program that the advice opens with shows the setting by itself.
    """
    table = catalog.table(TABLE)
    keys = {str(row["word"]): str(row["key"]) for row in table.rows} if table else {}
    for at, one in offered:
        asked = {key for key, _ in one.applies}
        for conditions, text in one.do.variants:
            opening = None if conditions else _OPENING.match(text)
            word = opening[1].lower() if opening else ""
            if word in keys and keys[word] not in asked and own.partition(".")[0] != word:
                problems.add((*at, "do"), f"opens with {word}: say so under applies, as {keys[word]}")
