"""Two engines behind one call: where in a block of bytes do which literals stand? Hyperscan, and plain search."""

from __future__ import annotations

import os
from bisect import bisect_left

from logsense.model.catalog import BEGIN, Literals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator
    from typing import Protocol

    Buffer = bytes | bytearray | memoryview
    # By the number of a literal, the offsets at which it begins, ascending: eight bytes each, as there may be millions.
    Hits = dict[int, array[int]]

    class Engine(Protocol):
        """Gives the hits in `block`, whose first byte has the offset `base`."""

        def __call__(self, block: Buffer, base: int = 0) -> Hits:
            """See above."""
            ...


# Below this many bytes a plain search is done before Hyperscan's module would be imported.
SMALL_BYTES = 64 * 1024
MOST_BEGINS = 1 << 20  # places in a text; the set of them takes room
LOOK_UP = 8  # literals may be looked at while one begin is looked up among them
KINDS = 4  # of processors, whose compiled databases are kept in one folder


def engine_for(literals: Literals, size: int | None, cache_folder: str | None = None) -> Engine:
    """The quickest engine for an input of `size` bytes (None: unknown, taken as large).

    An engine is called with a block of bytes and the offset of its begin, and gives the offsets at which each literal
    in it begins.
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
    from array import array

    from logsense.match.squeeze import Squeezed

    def scan(block: Buffer, base: int = 0) -> Hits:
        squeezed = Squeezed(bytes(block))
        return {
            number: array("Q", [base + squeezed.origin(start) for start in starts])
            for number, starts in engine(squeezed.text, 0).items()
        }

    return scan


def plain_engine(literals: Literals) -> Engine:
    """An engine that needs nothing but Python."""
    from array import array

    # Each byte is looked at as a character, so that texts of ASCII alone can be used as they are.
    needles = list(literals.texts)
    for number in literals.odd:
        needles[number] = needles[number].encode().decode("latin-1")

    def scan(block: Buffer, base: int = 0) -> Hits:
        hits: Hits = {}
        data = str(block, "latin-1")
        folded = bytes(block).lower().decode("latin-1") if literals.folded else ""
        found = _standing_in(data, needles, literals)
        if literals.folded:
            found = [number for number in found if number not in literals.folded]
            found += [number for number in literals.folded if needles[number] in folded]
        for number in found:
            needle, text = needles[number], folded if number in literals.folded else data
            starts = hits[number] = array("Q")
            at = text.find(needle)
            while at >= 0:
                starts.append(base + at)
                at = text.find(needle, at + 1)
        return hits

    return scan


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


def _beginning_with(begins: set[str], texts: list[str]) -> Iterator[int]:
    """The numbers of the `texts`, which are in order, that begin with any of `begins`."""
    for begin in begins:
        number = bisect_left(texts, begin)
        while number < len(texts) and texts[number].startswith(begin):
            yield number
            number += 1


def hyperscan_engine(literals: Literals, cache_folder: str | None = None) -> Engine:
    """An engine on Hyperscan, whose compiled database is kept in `cache_folder`.

    A database that is missing, damaged or from another machine is compiled again. Raises ImportError where the
    library is not to be had.
    """
    from array import array
    from collections import defaultdict

    import hyperscan

    if not literals:
        return lambda block, base=0: {}
    path = _cache_path(literals, cache_folder, str(getattr(hyperscan, "__version__", "")))
    database, path = _cached(path, hyperscan)
    if database is None:
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        database.compile(
            expressions=[literal.text.encode() for literal in literals],
            ids=list(range(len(literals))),
            elements=len(literals),
            flags=[hyperscan.HS_FLAG_CASELESS if literal.ignore_case else 0 for literal in literals],
            literal=True,
        )
        _keep(path, hyperscan.dumpb(database))

    lengths = [literal.size_bytes for literal in literals]
    spare: list[hyperscan.Scratch] = []  # each serves one search at a time, and several threads search

    def scan(block: Buffer, base: int = 0) -> Hits:
        scratch = spare.pop() if spare else database.scratch.clone()
        hits: Hits = defaultdict(lambda: array("Q"))

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> None:
            hits[number].append(end + base - lengths[number])

        try:
            database.scan(block, match_event_handler=on_match, scratch=scratch)
        finally:
            spare.append(scratch)
        return hits

    return scan


def _cache_path(literals: Literals, folder: str | None, version: str) -> str | None:
    if folder is None:
        return None
    from zlib import crc32

    name = repr((version, os.name, [(literal.text, literal.ignore_case) for literal in literals])).encode()
    return os.path.join(folder, f"literals-{crc32(name):08x}{crc32(name[::-1]):08x}.hsdb")


def _cached(path: str | None, hyperscan):  # type: ignore[no-untyped-def]
    """The database that was kept, or None, and where to keep it.

    Nodes with other processors may share the folder; each kind of them has a file of its own.
    """
    if path is None:
        return None, None
    foreign = getattr(hyperscan, "DatabasePlatformError", ())
    for place in (path, *(path.replace(".hsdb", f"-{number}.hsdb") for number in range(2, KINDS + 1))):
        try:
            with open(place, "rb") as file:
                database = hyperscan.loadb(file.read(), hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
        except foreign:
            continue
        except (OSError, hyperscan.error, ValueError):
            return None, place
        return database, place
    return None, place


def _keep(path: str | None, data: bytes) -> None:
    if path is None:
        return
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            return
