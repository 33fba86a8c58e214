"""Counts: how often each signature was found, how often it was only hit, and how many of its hits held."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A signature whose literal was hit so often without holding is looked for line by line first.
WARY = 8
# One that was looked for closely so often in vain is looked for again whenever its hits have doubled.
HOPELESS = 32
# So is one of whose hits so many were looked at in vain.
VAIN = 2000


class Tally:
    """The counts of one source, by the index of the signature."""

    def __init__(self) -> None:
        self._found: dict[int, int] = {}
        self._passed: dict[int, int] = {}
        self._looked: dict[int, int] = {}
        self._held: dict[int, int] = {}
        self._missed: dict[int, int] = {}
        self._again: dict[int, int] = {}  # how many hits there have to be before it is looked for again

    def found(self, index: int) -> None:
        """Note that the signature was found at a hit."""
        self._found[index] = self._found.get(index, 0) + 1
        self.looked(index, 1, 1)

    def missed(self, index: int) -> None:
        """Note that the signature was not found at a hit."""
        self._missed[index] = self._missed.get(index, 0) + 1
        self.looked(index, 1, 0)

    def passed(self, counts: Mapping[int, int]) -> None:
        """Note that so many hits of each signature were only counted."""
        passed = self._passed
        for index, count in counts.items():
            passed[index] = passed.get(index, 0) + count

    def looked(self, index: int, looked: int, held: int) -> None:
        """Note that of so many hits that were looked at so many could hold."""
        self._looked[index] = self._looked.get(index, 0) + looked
        self._held[index] = self._held.get(index, 0) + held

    def is_wary(self, index: int) -> bool:
        """Whether the signature's literal was hit in vain too often."""
        return index not in self._found and self._looked.get(index, 0) >= WARY

    def is_due(self, index: int) -> bool:
        """Whether the signature is to be looked for among its next hits."""
        if not self.is_hopeless(index):
            return True
        hits = self._looked[index] + self._passed.get(index, 0)
        if hits < self._again.get(index, 0):
            return False
        self._again[index] = 2 * hits
        return True

    def is_hopeless(self, index: int) -> bool:
        """Whether the signature was looked for too often in vain."""
        if index in self._found:
            return False
        if self._missed.get(index, 0) >= HOPELESS:
            return True
        return self._looked.get(index, 0) >= VAIN

    def share(self, index: int) -> float:
        """The share of the signature's hits that held, as far as they were looked at; 1 where none was."""
        looked = self._looked.get(index, 0)
        return self._held[index] / looked if looked else 1.0

    def count(self, index: int, least: int) -> int:
        """How often the signature occurs, at least `least` times: an estimate where hits were only counted."""
        return max(least, self._found.get(index, 0) + round(self._passed.get(index, 0) * self.share(index)))
