"""Two engines behind one call: which literals occur in some bytes, and where first? Hyperscan, and plain search."""

from __future__ import annotations

import os
from bisect import bisect_left

from logsense.model.knowledge import BEGIN, Literals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from logsense.match.databases import Database

    Buffer = bytes | bytearray | memoryview

    class Engine(Protocol):
        """Returns the numbers of the literals in some bytes, each with the index at which it first begins."""

        literals: Literals

        def __call__(self, data: Buffer, /) -> Iterable[tuple[int, int]]:
            """See above."""
            ...


# Below this many bytes a plain search is done before Hyperscan's module would be imported.
SMALL_BYTES = 64 * 1024
LOOK_UP = 8  # literals may be looked at while one begin is looked up among them


def engine_for(literals: Literals, size: int | None, cache_folder: str | None = None) -> Engine:
    """Return the quickest engine for an input of `size` bytes (None: unknown, taken as large)."""
    if (size is not None and size < SMALL_BYTES) or os.environ.get("LOGSENSE_ENGINE") == "plain":
        return PlainEngine(literals)
    try:
        return HyperscanEngine(literals, cache_folder)
    except ImportError:
        return PlainEngine(literals)


class PlainEngine:
    """An engine that needs nothing but Python."""

    def __init__(self, literals: Literals) -> None:
        self.literals = literals
        # Each byte is looked at as a character, so that texts of ASCII alone can be used as they are.
        self._needles = list(literals.texts)
        for number in literals.odd:
            self._needles[number] = self._needles[number].encode().decode("latin-1")

    def __call__(self, data: Buffer) -> Iterator[tuple[int, int]]:
        """Yield the number and first index of each literal in `data`."""
        folded, needles = self.literals.folded, self._needles
        text = str(data, "latin-1")
        for number in _occurring(text, needles, self.literals):
            if number not in folded:
                yield number, text.find(needles[number])
        if folded:
            lower = bytes(data).lower().decode("latin-1")
            for number in sorted(folded):
                at = lower.find(needles[number])
                if at >= 0:
                    yield number, at


def _occurring(data: str, needles: list[str], literals: Literals) -> list[int]:
    """Return the numbers of the `needles`, which the `literals` are as bytes, that occur in `data`."""
    # Most begin with letters that occur nowhere in a short text, which is found out at once.
    begins = {data[at : at + BEGIN] for at in range(len(data) - BEGIN + 1)}
    if LOOK_UP * len(begins) < len(needles):
        numbers = sorted({*_beginning_with(begins, literals.texts), *literals.odd})
    else:
        odd = set(literals.odd)
        numbers = [number for number, needle in enumerate(needles) if needle[:BEGIN] in begins or number in odd]
    return [number for number in numbers if needles[number] in data]


def _beginning_with(begins: set[str], texts: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the `texts`, which are sorted, that begin with any of `begins`."""
    for begin in begins:
        number = bisect_left(texts, begin)
        while number < len(texts) and texts[number].startswith(begin):
            yield number
            number += 1


class HyperscanEngine:
    """An engine on Hyperscan, whose compiled database is kept in `cache_folder`.

    One that is missing, damaged or from another machine is compiled again. Raises ImportError without the library.
    """

    def __init__(self, literals: Literals, cache_folder: str | None = None) -> None:
        self.literals = literals
        self._database = _database(literals, cache_folder) if literals else None

    def __call__(self, data: Buffer) -> list[tuple[int, int]]:
        """Return the number and first index of each literal in `data`."""
        found: list[tuple[int, int]] = []
        size_bytes = self.literals.size_bytes

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> None:
            found.append((number, end - size_bytes(number)))

        if self._database:
            self._database.search(data, on_match)
        return found


def _database(literals: Literals, folder: str | None) -> Database:
    """Return the database of all literals, from `folder` or made and kept there."""
    from logsense.match.databases import compiled, kept, path_for

    database, path = kept(path_for(literals, folder))
    return database or compiled([(literal.text.encode(), literal.ignore_case) for literal in literals], path)


def keep_database(literals: Literals, folder: str | None) -> None:
    """Make what large logs are searched with, where `folder` does not hold it yet."""
    try:
        _database(literals, folder)
    except ImportError:
        return


def is_database_kept(literals: Literals, folder: str) -> bool:
    """Return whether `keep_database` has nothing to do."""
    try:
        from logsense.match.databases import kept, path_for
    except ImportError:
        return True
    return kept(path_for(literals, folder))[0] is not None
