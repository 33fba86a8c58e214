"""What is looked for in one source: messages, and the literals that were hit."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.model.finding import Finding
    from logsense.model.signature import Signature

# Of a message so many sightings are kept from its first and from its last ones; those between are only counted.
# More are of use where it is what failed, or where a run begins or ends, than where it only surrounds a failure.
MOST_KEPT = 24
KEPT = {"hint": 6, "fact": 6, "checkpoint": 6, "noise": 3}
NEWEST = 2  # times as many places are noted for the last ones, since not each that looks like the message is it
WARY = 8  # records that didn't hold a message, after which lines are asked before records are parsed for it


class Sought:
    """A message that is looked for: while it `is_open`, its first sightings, afterwards places of the newest."""

    __slots__ = (
        "contexts",
        "first",
        "held",
        "index",
        "is_open",
        "line",
        "lines",
        "literals",
        "missed",
        "most",
        "newest",
        "signature",
    )

    def __init__(self, index: int, signature: Signature) -> None:
        self.index, self.signature = index, signature
        self.most = KEPT.get(signature.kind, MOST_KEPT)
        self.first: list[Finding] = []
        self.newest: list[int] = []  # offsets, ascending
        self.literals: list[HitLiteral] = []
        self.contexts: dict[int, int] = {}  # misses, by the hash of the surroundings' shape
        self.held = self.missed = self.lines = 0
        self.is_open = True
        self.line = -1

    def close(self) -> None:
        """Look for it no longer, but for its newest places."""
        self.is_open = False
        self.contexts.clear()
        for literal in self.literals:
            literal.refresh()

    def note(self, offsets: Sequence[int]) -> None:
        """Take in places that look like the message, ascending."""
        is_later = not self.newest or (offsets and offsets[0] > self.newest[-1])
        self.newest = [*self.newest, *offsets] if is_later else sorted({*self.newest, *offsets})
        del self.newest[: -self.noted]

    @property
    def noted(self) -> int:
        """How many places for the last sightings are noted."""
        return NEWEST * self.most

    def has_enough_from(self, offset: int) -> bool:
        """Whether so many places are known from `offset` on that older ones don't matter."""
        return len(self.newest) >= self.noted and self.newest[0] >= offset


class HitLiteral:
    """A literal that was hit, and the messages that it belongs to."""

    __slots__ = (
        "asked",
        "checked",
        "data",
        "holders",
        "is_folded",
        "is_open",
        "line",
        "number",
        "passed",
        "pieces",
        "soughts",
        "trusted",
        "with_digits",
    )

    def __init__(self, number: int, data: bytes, is_folded: bool, soughts: list[Sought], with_digits: bool) -> None:
        self.number, self.data, self.is_folded = number, data, is_folded
        self.soughts, self.with_digits = soughts, with_digits
        self.holders: dict[bytes, tuple[Sought, ...]] = {}  # by a line's shape, or the line if digits matter
        self.asked = self.pieces = self.passed = 0
        self.checked = 0  # up to this offset all hits were asked, as far as they may be among the newest
        self.line = -1
        self.refresh()

    def refresh(self) -> None:
        """Note which of the messages are looked for, and which of them at each hit."""
        self.trusted = tuple(one for one in self.soughts if one.is_open and one.missed < WARY)
        self.is_open = any(one.is_open for one in self.soughts)
