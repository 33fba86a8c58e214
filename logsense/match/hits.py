"""Where literals stand in a source: one list of all hits, by their ends, since most of them are only ever counted."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from itertools import chain, compress, islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from logsense.model.knowledge import Literals


class Hits:
    """Hits of `literals`: the number of each one's literal, and the source's offset behind it, ascending.

    There may be millions in a block, so each takes twelve bytes, and none is sorted by its literal unless asked for.
    """

    __slots__ = ("_counts", "ends", "literals", "numbers")

    def __init__(self, literals: Literals, numbers: array[int] | None = None, ends: array[int] | None = None) -> None:
        self.literals = literals
        self.numbers = array("I") if numbers is None else numbers
        self.ends = array("Q") if ends is None else ends
        self._counts: dict[int, int] | None = None

    @staticmethod
    def of(literals: Literals, starts: Mapping[int, Iterable[int]]) -> Hits:
        """The hits of each literal that begin at `starts`, by its number."""
        hits = Hits(literals)
        found = [(start + literals.size_bytes(number), number) for number, some in starts.items() for start in some]
        for end, number in sorted(found):
            hits.ends.append(end)
            hits.numbers.append(number)
        return hits

    def __len__(self) -> int:
        return len(self.ends)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hits) and self.starts() == other.starts()

    __hash__ = None  # type: ignore[assignment]

    def parted(self, end: int) -> tuple[Hits, Hits]:
        """The hits that end up to the source's offset `end`, and those that end behind it."""
        at = bisect_right(self.ends, end)
        if at in (0, len(self)):
            none = Hits(self.literals)
            return (self, none) if at else (none, self)
        numbers, ends = self.numbers, self.ends
        return Hits(self.literals, numbers[:at], ends[:at]), Hits(self.literals, numbers[at:], ends[at:])

    def followed_by(self, after: Hits) -> Hits:
        """These hits and those `after` them."""
        if not (len(self) and len(after)):
            return self if len(self) else after
        return Hits(self.literals, self.numbers + after.numbers, self.ends + after.ends)

    def together(self, more: Hits) -> Hits:
        """These hits with `more`, most of which may be the same."""
        if not len(more):
            return self
        before, rest = self.parted(more.ends[0] - 1)
        both = sorted({*zip(rest.ends, rest.numbers, strict=True), *zip(more.ends, more.numbers, strict=True)})
        joined = Hits(self.literals, array("I", [number for _, number in both]), array("Q", [end for end, _ in both]))
        return before.followed_by(joined)

    def _by_number(self) -> dict[int, int]:
        if self._counts is None:
            self._counts = Counter(self.numbers)
        return self._counts

    def counts(self) -> dict[int, int]:
        """How many hits there are of each signature, by its index."""
        counts: dict[int, int] = {}
        known, signatures = counts.get, self.literals.signatures
        for number, count in self._by_number().items():
            for index in signatures(number):
                counts[index] = known(index, 0) + count
        return counts

    def starts(self, wanted: Collection[int] | None = None) -> dict[int, array[int]]:
        """Where the literals begin, ascending, by their number: all, or those whose number is `wanted`."""
        found: dict[int, array[int]] = {}
        hits: Iterable[tuple[int, int]] = zip(self.numbers, self.ends, strict=True)
        if wanted is not None:
            hits = compress(hits, map(wanted.__contains__, self.numbers))
        for number, end in hits:
            if number in found:
                found[number].append(end)
            else:
                found[number] = array("Q", (end,))
        return self._begun(found)

    def newest(self, most: int, looked: int | None = None) -> dict[int, array[int]] | None:
        """Where the last `most` hits of each literal begin, ascending; None where more than `looked` hits would have to
        be looked through for them."""
        missing = {number: min(count, most) for number, count in self._by_number().items()}
        if looked is not None and sum(missing.values()) > looked:
            return None
        found: dict[int, array[int]] = {number: array("Q") for number in missing}
        left = len(missing)
        for number, end in islice(zip(reversed(self.numbers), reversed(self.ends), strict=True), looked):
            few = missing[number]
            if few:
                found[number].append(end)
                missing[number] = few - 1
                left -= few == 1
                if not left:
                    break
        if left:
            return None
        for ends in found.values():
            ends.reverse()
        return self._begun(found)

    def offsets(self, indices: AbstractSet[int]) -> dict[int, Sequence[int]]:
        """Where signatures were hit, ascending, by their index."""
        signatures = self.literals.signatures
        numbers = {number for number in self._by_number() if not indices.isdisjoint(signatures(number))}
        return self.by_signature(self.starts(numbers), indices)

    def by_signature(
        self, starts: Mapping[int, Sequence[int]], indices: Collection[int], most: int = 0
    ) -> dict[int, Sequence[int]]:
        """The `starts` of literals as those of the signatures `indices`, of each the last `most`.

        Hits of two literals at one place stay two: they would cost more to find than they cost later.
        """
        found: dict[int, list[Sequence[int]]] = {}
        for number, some in starts.items():
            for index in self.literals.signatures(number):
                if index in indices:
                    found.setdefault(index, []).append(some)
        return {
            index: some[0][-most:] if len(some) == 1 else array("Q", sorted(chain.from_iterable(some))[-most:])
            for index, some in found.items()
        }

    def _begun(self, ends: dict[int, array[int]]) -> dict[int, array[int]]:
        for number, some in ends.items():
            size = self.literals.size_bytes(number)
            ends[number] = array("Q", [end - size for end in some])
        return ends
