"""Check the prose of a rule or message: plain phrases and short sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logsense.authoring.references import walk
from logsense.catalog.decode import Path, Problems
from logsense.model.rule import Table

TABLE = "style"
# The keys whose texts people read on the screen; below them, `text` is one of several variants.
PROSE = frozenset({"title", "says", "explain", "do", "why"})
QUOTES = frozenset({"samples", "examples"})
MOST_WORDS = 34
_QUOTED = re.compile(r"`[^`]*`|\{[^}]*\}|\"[^\"]*\"|'[^' ]*'")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")


class Phrases:
    """The phrases that lint rejects, as one search."""

    __slots__ = ("_better", "_search")

    def __init__(self, table: Table | None) -> None:
        rows = table.rows if table else ()
        self._better = [str(row["better"]) for row in rows]
        parts = (f"(?P<p{number}>{row['phrase']})" for number, row in enumerate(rows))
        self._search = re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE) if rows else None

    def find(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each phrase in `text` with what is better."""
        for found in self._search.finditer(text) if self._search else ():
            number = next(int(name[1:]) for name, part in found.groupdict().items() if part is not None)
            yield found[0], self._better[number]


def check_style(data: object, phrases: Phrases, problems: Problems) -> None:
    """Note what a native technical writer would not write in the texts of `data`, a file of a rule or message."""
    for path, text in walk(data):
        if not isinstance(text, str) or not _is_prose(path):
            continue
        plain = _QUOTED.sub("VALUE", text)
        for phrase, better in phrases.find(plain):
            problems.add(path, f"a native writer would not write {phrase!r}: {better}")
        longest = max(len(sentence.split()) for sentence in _SENTENCE.split(plain))
        if longest > MOST_WORDS:
            problems.add(path, f"a sentence has {longest} words, more than {MOST_WORDS}")


def _is_prose(path: Path) -> bool:
    *others, above, own = ["", "", *(key for key in path if isinstance(key, str))]
    return QUOTES.isdisjoint((*others, above, own)) and (own in PROSE or (own == "text" and above in PROSE))
