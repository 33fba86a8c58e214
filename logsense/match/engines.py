"""Two engines behind one call: where in a block of bytes do which literals stand? Hyperscan, and plain search."""

from __future__ import annotations

import os
from bisect import bisect_left

from logsense.match.hits import Hits
from logsense.model.knowledge import BEGIN, Literals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from logsense.match.databases import Database

    Buffer = bytes | bytearray | memoryview

    class Engine(Protocol):
        """Gives the hits in `block`, whose first byte has the offset `base`."""

        def __call__(self, block: Buffer, base: int = 0) -> Hits:
            """See above."""
            ...


# Below this many bytes a plain search is done before Hyperscan's module would be imported.
SMALL_BYTES = 64 * 1024
MOST_BEGINS = 1 << 20  # places in a text; the set of them takes room
LOOK_UP = 8  # literals may be looked at while one begin is looked up among them
SIEVED_BYTES = 256 * 1024  # in a block; of fewer, all is searched


def engine_for(literals: Literals, size: int | None, cache_folder: str | None = None) -> Engine:
    """The quickest engine for an input of `size` bytes (None: unknown, taken as large).

    An engine is called with a block of bytes and the offset of its begin.
    """
    if (size is not None and size < SMALL_BYTES) or os.environ.get("LOGSENSE_ENGINE") == "plain":
        return plain_engine(literals)
    try:
        return hyperscan_engine(literals, cache_folder)
    except ImportError:
        return plain_engine(literals)


def over_wraps(engine: Engine) -> Engine:
    """`engine`, made to find literals whose single spaces are several blanks or line ends in the block, and those with
    a colour in their midst.

    Pasted, wrapped and highlighted texts need it; it takes a copy of the block, so it is meant for small ones.
    """
    from logsense.match.squeeze import Squeezed

    def reading(block: Buffer, base: int = 0) -> Hits:
        squeezed = Squeezed(bytes(block))
        hits = engine(squeezed.text, 0)
        origin = squeezed.origin
        return Hits.of(
            hits.literals, {number: [base + origin(one) for one in starts] for number, starts in hits.starts().items()}
        )

    return reading


def plain_engine(literals: Literals) -> Engine:
    """An engine that needs nothing but Python."""
    # Each byte is looked at as a character, so that texts of ASCII alone can be used as they are.
    needles = list(literals.texts)
    for number in literals.odd:
        needles[number] = needles[number].encode().decode("latin-1")

    def reading(block: Buffer, base: int = 0) -> Hits:
        hits: dict[int, list[int]] = {}
        data = str(block, "latin-1")
        folded = bytes(block).lower().decode("latin-1") if literals.folded else ""
        found = _standing_in(data, needles, literals)
        if literals.folded:
            found = [number for number in found if number not in literals.folded]
            found += [number for number in literals.folded if needles[number] in folded]
        for number in found:
            needle, text = needles[number], folded if number in literals.folded else data
            starts = hits[number] = []
            at = text.find(needle)
            while at >= 0:
                starts.append(base + at)
                at = text.find(needle, at + 1)
        return Hits.of(literals, hits)

    return reading


def _standing_in(data: str, needles: list[str], literals: Literals) -> list[int]:
    """The numbers of the `needles`, which the `literals` are as bytes, that stand in `data`."""
    if len(data) > MOST_BEGINS:
        return [number for number, needle in enumerate(needles) if needle in data]
    # Most begin with letters that stand nowhere in a short text, which is told at once.
    begins = {data[at : at + BEGIN] for at in range(len(data) - BEGIN + 1)}
    if LOOK_UP * len(begins) < len(needles):
        numbers = sorted({*_beginning_with(begins, literals.texts), *literals.odd})
    else:
        odd = set(literals.odd)
        numbers = [number for number, needle in enumerate(needles) if needle[:BEGIN] in begins or number in odd]
    return [number for number in numbers if needles[number] in data]


def _beginning_with(begins: set[str], texts: Sequence[str]) -> Iterator[int]:
    """The numbers of the `texts`, which are in order, that begin with any of `begins`."""
    for begin in begins:
        number = bisect_left(texts, begin)
        while number < len(texts) and texts[number].startswith(begin):
            yield number
            number += 1


def hyperscan_engine(literals: Literals, cache_folder: str | None = None) -> Engine:
    """An engine on Hyperscan, whose compiled databases are kept in `cache_folder`.

    A database that is missing, damaged or from another machine is compiled again. Raises ImportError where the
    library is not to be had.
    """
    from logsense.match.sieve import Sieve

    if not literals:
        return lambda block, base=0: Hits(literals)
    whole = _whole(literals, cache_folder)
    sieve = Sieve(literals, literals.longest_bytes(), cache_folder)

    def reading(block: Buffer, base: int = 0) -> Hits:
        hits = Hits(literals)
        add_number, add_end = hits.numbers.append, hits.ends.append

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> None:
            add_number(number)
            add_end(base + end)

        spots = sieve.spots(block) if len(block) >= SIEVED_BYTES else None
        if spots is None:
            whole.search(block, on_match)
            sieve.searched(len(block), len(hits))
        else:
            first, view = base, memoryview(block)
            for begin, end in spots:
                base = first + begin
                whole.search(view[begin:end], on_match)
        return hits

    return reading


def _whole(literals: Literals, folder: str | None) -> Database:
    """The database of all literals, from `folder` or made and kept there."""
    from logsense.match.databases import compiled, kept, path_for

    database, path = kept(path_for(literals, folder, "literals"))
    return database or compiled([(literal.text.encode(), literal.ignore_case) for literal in literals], path)


def keep_databases(literals: Literals, folder: str | None) -> None:
    """Make what large logs are searched with, where `folder` does not hold it yet."""
    try:
        from logsense.match.sieve import sieve_of
    except ImportError:
        return
    _whole(literals, folder)
    sieve_of(literals, folder)


def are_kept(literals: Literals, folder: str) -> bool:
    """Whether `keep_databases` has nothing to do."""
    try:
        from logsense.match.databases import kept, path_for
    except ImportError:
        return True
    return all(kept(path_for(literals, folder, what))[0] for what in ("literals", "sieve"))
