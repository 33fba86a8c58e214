"""A text is searched in pieces: which literals occur in each, and where. Most are never asked for every place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from logsense.model.knowledge import LONGEST_BYTES, Literals

PIECE_BYTES = 64 << 10
QUIET_BYTES = 512 << 10  # are searched at once behind a piece without literals, as each search waits for Python's lock

Buffer = bytes | bytearray | memoryview


class Engine:
    """Finds which of `literals` occur in some bytes."""

    def __init__(self, literals: Literals) -> None:
        self.literals = literals

    def __call__(self, data: Buffer) -> Iterable[tuple[int, int]]:
        """Return the numbers of the literals in `data`, each with the index at which it first begins."""
        raise NotImplementedError


class Piece:
    """Literals begin at `firsts`, by their number, between `begin` and `end` of `data`, which is text up to `limit`.

    `origin` returns the offset in the source of an index into `data`.
    """

    __slots__ = ("_begin", "_data", "_end", "_folded", "_limit", "_literals", "firsts", "origin")

    def __init__(
        self,
        literals: Literals,
        data: bytes | bytearray,
        span: tuple[int, int, int],
        firsts: Mapping[int, int],
        origin: Callable[[int], int],
    ) -> None:
        self._literals, self._data, self.firsts, self.origin = literals, data, firsts, origin
        self._begin, self._end, self._limit = span
        self._folded: bytes | None = None

    def starts(self, number: int) -> Iterator[int]:
        """Yield the offsets at which literal `number` begins, ascending."""
        text, needle, shift = self._searched(number)
        limit = min(self._end + len(needle) - 1, self._limit) - shift
        at = self.firsts[number] - shift
        while at >= 0:
            yield self.origin(at + shift)
            at = text.find(needle, at + 1, limit)

    def last_starts(self, number: int, most: int) -> Iterator[int]:
        """Yield the last `most` offsets at which literal `number` begins, descending."""
        text, needle, shift = self._searched(number)
        first, end = self.firsts[number] - shift, min(self._end + len(needle) - 1, self._limit) - shift
        for _ in range(most):
            at = text.rfind(needle, first, end)
            if at < 0:
                return
            yield self.origin(at + shift)
            end = at + len(needle) - 1

    def count(self, number: int) -> int:
        """Return how often literal `number` begins here."""
        text, needle, shift = self._searched(number)
        return text.count(needle, self.firsts[number] - shift, min(self._end + len(needle) - 1, self._limit) - shift)

    def forget(self) -> None:
        """Free the memory that only a search needs."""
        self._folded = None

    def _searched(self, number: int) -> tuple[bytes | bytearray, bytes, int]:
        """Return the text in which literal `number` is found, the literal, and where the text begins in `data`."""
        needle = self._literals.texts[number].encode()
        if number not in self._literals.folded:
            return self._data, needle, 0
        if self._folded is None:
            self._folded = bytes(self._data[self._begin : self._limit]).lower()
        return self._folded, needle, self._begin


def pieces_of(
    engine: Engine, data: bytes | bytearray, begin: int, end: int, limit: int, origin: Callable[[int], int]
) -> list[Piece]:
    """Return the pieces of `data`, in order, in which literals begin between `begin` and `end`.

    The text goes on up to `limit`. `origin` returns the offset in the source of an index into `data`.
    """
    found = []
    view = memoryview(data)
    stop, searched, is_quiet = begin, begin, False
    while (at := stop) < end:
        if is_quiet and at >= searched:
            searched = min(at + QUIET_BYTES, end)
            if not any(engine(view[at : min(searched + LONGEST_BYTES, limit)])):
                stop = searched
                continue
        stop = min(at + PIECE_BYTES, end)
        reach = min(stop + LONGEST_BYTES, limit)
        firsts = {number: at + first for number, first in engine(view[at:reach]) if at + first < stop}
        if firsts:
            found.append(Piece(engine.literals, data, (at, stop, reach), firsts, origin))
        is_quiet = not firsts
    return found
