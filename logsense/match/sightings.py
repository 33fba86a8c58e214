"""What is known of each message in one source: its first sightings, and where the newest may stand.

Messages whose literal is hit again and again are asked line by line: a line with the same words in the same places,
digits aside, is the same message or none, as the one before it.
"""

from __future__ import annotations

from logsense.match.sought import WARY, HitLiteral, Sought
from logsense.model.line import shorten_blanks
from logsense.model.reading import FAILING
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from logsense.match.block import Block, Piece
    from logsense.match.verify import Verifier
    from logsense.model.finding import Finding
    from logsense.model.knowledge import Catalog

    # The finding of a message, by its index, at an offset, and whether its record was not asked for that before.
    Find = Callable[[int, int], tuple[Finding | None, bool]]

# A message is given up, but for its newest places, after so many records or different lines that didn't hold it.
MOST_MISSED, MOST_LINES = 64, 4000
SAME_MISSED = 2  # records in the same surroundings that didn't hold a message
MOST_ASKED = 2000  # hits of a literal in vain, none of whose messages tells of a failure
MOST_FIRST = 200  # findings in a source; then of each further message only one is looked for
SHAPES_KEPT = 50_000
AROUND_BYTES = 512  # on each side of a hit, which tell surroundings apart
NEAR_BYTES = 8 << 10  # on each side of a hit, in which all words of its message stand
COUNTED_PIECES, THEN_EACH = 32, 8  # of a known message; those between are estimated
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
EXACT = (*FAILING, "start", "end")


class Line(NamedTuple):
    """A raw line from `begin` in the source on, and its `shape`, in which every digit is 0."""

    begin: int
    raw: bytes
    shape: bytes


class Sightings:
    """Finds the first sightings of messages in the blocks of one source, in order; notes places for the last ones."""

    def __init__(self, catalog: Catalog, verifier: Verifier) -> None:
        self._catalog, self._verifier = catalog, verifier
        self.literals: dict[int, HitLiteral] = {}
        self.soughts: dict[int, Sought] = {}
        # Lines, or their shapes, with the literals hit in them, that hold none of these literals' messages.
        self._idle: set[tuple[tuple[int, ...], bytes]] = set()
        self._with_digits: set[int] = set()  # numbers of literals with a message to which digits matter
        self._found = 0

    def literal(self, number: int) -> HitLiteral:
        """The literal with that number."""
        known = self.literals.get(number)
        if known is None:
            literals = self._catalog.literals
            soughts = [self._sought(index) for index in literals.signatures(number)]
            with_digits = any(self._verifier.names_digits(one.signature) for one in soughts)
            data = literals.texts[number].encode()
            known = self.literals[number] = HitLiteral(number, data, number in literals.folded, soughts, with_digits)
            if with_digits:
                self._with_digits.add(number)
            for one in soughts:
                one.literals.append(known)
        return known

    def _sought(self, index: int) -> Sought:
        if index not in self.soughts:
            self.soughts[index] = Sought(index, self._catalog.signature(index))
        return self.soughts[index]

    def look(self, block: Block, piece: Piece, find: Find) -> Iterator[Finding]:
        """Yield the first sightings in `piece`, found by `find`; note places that look like messages with enough."""
        asked, hits = [], []
        for number in piece.hits:
            literal = self.literal(number)
            if not literal.is_open:
                self._pass(block, piece, literal)
                continue
            asked.append(literal)
            starts = block.starts(piece, literal)
            literal.asked += len(starts)
            hits += [(start, number) for start in starts]
        hits.sort()
        at = 0
        while at < len(hits):
            first = at
            raw, end = block.line_at(hits[at][0])
            at += 1  # a hit may begin at the end of a line
            while at < len(hits) and hits[at][0] < end:
                at += 1
            numbers = tuple([number for _, number in hits[first:at]])
            shape = raw.translate(_DIGITS)
            key = (numbers, shape if self._with_digits.isdisjoint(numbers) else raw)
            if key not in self._idle:
                line = Line(end - len(raw), raw, shape)
                yield from self._ask(block, hits[first:at], line, find)
                if self._is_idle(numbers, line):
                    if len(self._idle) >= SHAPES_KEPT:
                        self._idle.clear()
                    self._idle.add(key)
        for literal in asked:
            if literal.is_open:
                literal.checked = piece.end
                if literal.asked >= MOST_ASKED:
                    self._give_up(literal)

    def _ask(self, block: Block, hits: list[tuple[int, int]], line: Line, find: Find) -> Iterator[Finding]:
        """Yield the first sightings at the hits of a line."""
        for start, number in hits:
            literal = self.literals[number]
            if not literal.is_open:
                literal.asked -= 1
                literal.passed += 1
                continue
            for sought in literal.trusted:
                sought.line = line.begin
                yield from self._try(block, sought, start, find)
            for sought in self._holders(literal, line.raw, line.shape):
                if sought.line != line.begin:
                    sought.line = line.begin
                    yield from self._try(block, sought, start, find)

    def _is_idle(self, numbers: tuple[int, ...], line: Line) -> bool:
        """Whether no line like this one can hold a message of these literals."""
        literals = map(self.literals.__getitem__, numbers)
        return not any(one.trusted or not one.is_open or self._holders(one, line.raw, line.shape) for one in literals)

    def _try(self, block: Block, sought: Sought, start: int, find: Find) -> Iterator[Finding]:
        """Yield the first sighting at `start`, if it is one; of a message with enough of them, note the place."""
        if sought.is_open and sought.first and self._found >= MOST_FIRST:
            sought.close()
        if not sought.is_open:
            sought.held += 1
            sought.note((start,))
        elif finding := self._find(block, sought, start, find):
            yield finding

    def _find(self, block: Block, sought: Sought, start: int, find: Find) -> Finding | None:
        around = block.around(start, AROUND_BYTES)
        key = hash(around if self._verifier.names_digits(sought.signature) else around.translate(_DIGITS))
        missed = sought.contexts.get(key, 0)
        if missed >= SAME_MISSED:
            return None
        finding, is_new = None, True
        if self._verifier.is_near(sought.signature, block.around(start, NEAR_BYTES)):
            finding, is_new = find(sought.index, start)
        if not is_new:
            return None
        if finding is None:
            sought.contexts[key] = missed + 1
            sought.missed += 1
            if sought.missed >= MOST_MISSED:
                sought.close()
            elif sought.missed == WARY:
                for literal in sought.literals:
                    literal.refresh()
            return None
        sought.held += 1
        sought.first.append(finding)
        self._found += 1
        if len(sought.first) >= sought.most:
            sought.close()
        return finding

    def _holders(self, literal: HitLiteral, raw: bytes, shape: bytes) -> tuple[Sought, ...]:
        """The messages of `literal` that the line may hold."""
        key = raw if literal.with_digits else shape
        holders = literal.holders.get(key)
        if holders is None:
            line = shorten_blanks(raw.decode("utf-8", "replace"))
            folded = line.lower()
            found = []
            for one in literal.soughts:
                if self._verifier.may_hold(one.signature, line, folded):
                    found.append(one)
                else:
                    one.lines += 1
                    if one.is_open and one.lines >= MOST_LINES:
                        one.close()
            if len(literal.holders) >= SHAPES_KEPT:
                literal.holders.clear()
            holders = literal.holders[key] = tuple(found)
        return holders

    def _give_up(self, literal: HitLiteral) -> None:
        if not any(one.held or one.signature.kind in EXACT for one in literal.soughts):
            for one in literal.soughts:
                one.close()

    def _pass(self, block: Block, piece: Piece, literal: HitLiteral) -> None:
        """Count the hits of a literal whose messages have enough first sightings: all, or those of some pieces."""
        literal.pieces += 1
        if literal.pieces <= COUNTED_PIECES:
            literal.passed += block.count(piece, literal)
        elif literal.pieces % THEN_EACH == 0:
            literal.passed += THEN_EACH * block.count(piece, literal)

    def newest_in(self, block: Block, piece: Piece, literal: HitLiteral, most: int) -> tuple[dict[int, list[int]], int]:
        """Look from the end of `piece` for places of messages of `literal`, until each has enough or `most` hits were
        looked at; return them by the index of the message, descending, and how many were looked at."""
        found: dict[int, list[int]] = {one.index: [] for one in literal.soughts}
        looked, line = 0, -1
        for start in block.starts_backwards(piece, literal):
            if start <= literal.checked or looked >= most:
                break
            looked += 1
            if start >= line >= 0:
                continue
            raw, end = block.line_at(start)
            line = end - len(raw)
            for one in self._holders(literal, raw, raw.translate(_DIGITS)):
                found[one.index].append(start)
            if all(len(found[one.index]) >= one.noted for one in literal.soughts):
                break
        return found, looked

    def counts(self) -> dict[int, int]:
        """How often each message occurs, as far as known: an estimate where its hits were only counted."""
        counts = {}
        for index, one in self.soughts.items():
            asked = sum(literal.asked for literal in one.literals)
            passed = sum(literal.passed for literal in one.literals)
            counts[index] = one.held + round(passed * one.held / max(asked, 1))
        return counts
