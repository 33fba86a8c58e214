"""Two engines behind one call: which literals occur in some bytes, and where first? Hyperscan, and plain search."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from logsense.match.pieces import Buffer, Engine
from logsense.model.knowledge import BEGIN, Literals

# Below this many bytes a plain search is done before Hyperscan's module would be imported.
SMALL_BYTES = 64 * 1024
LOOK_UP = 8  # literals may be looked at while one begin is looked up among them


def engine_for(literals: Literals, size: int | None, cache_folder: str | None = None) -> Engine:
    """Return the quickest engine for an input of `size` bytes (None: unknown, taken as large)."""
    if (size is not None and size < SMALL_BYTES) or os.environ.get("LOGSENSE_ENGINE") == "plain":
        return PlainEngine(literals)
    try:
        from logsense.match.hyperscan_engine import HyperscanEngine
    except ImportError:
        return PlainEngine(literals)
    return HyperscanEngine(literals, cache_folder)


class PlainEngine(Engine):
    """Searches with nothing but Python."""

    def __init__(self, literals: Literals) -> None:
        super().__init__(literals)
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


def keep_database(literals: Literals, folder: str | None) -> None:
    """Make what large logs are searched with, where `folder` does not hold it yet."""
    engine_for(literals, None, folder)


def is_database_kept(literals: Literals, folder: str) -> bool:
    """Return whether `keep_database` has nothing to do."""
    try:
        from logsense.match.hyperscan_engine import kept, path_for
    except ImportError:
        return True
    return kept(path_for(literals, folder))[0] is not None
