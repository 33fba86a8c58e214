"""Finds the first and the last sightings of each message in a source; those between are only counted."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from itertools import islice

from logsense.match.block import AFTER_BYTES, Block, Records
from logsense.match.look import LineShapes, Look
from logsense.match.pieces import Piece
from logsense.match.verify import Verifier
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import FAILING

FIRST, LAST = 24, 24  # sightings of each message that are kept
# After so many findings in a source, of each message only the first and the last sighting are looked for.
MOST_FIRST, MOST_LAST, MOST_OTHERS = 400, 400, 400
TRIES = 400  # hits of a literal that are looked at in a piece of the source, and of a message for its last sightings
WARY = 2  # records looked at in vain, after which a message's hits are looked at in their lines first
# After so many lines looked at in vain, where a record counts as several, only a few hits in some pieces are looked at.
VAIN, FEW, SAMPLED = 500, 8, 16
RECORD_COST = 20
COUNTED = 16  # pieces in which the hits of a literal are counted; in the others there are as many on average
NEWEST_BLOCKS = 3  # are kept whole, to look for the last sightings in
# Of older blocks, so many bytes around the last hit of each message are kept.
BEFORE_BYTES, BEHIND_BYTES = 16 << 10, AFTER_BYTES // 2


class Literal:
    """What is known of one literal in a source; of the messages that hold it, `wanted` may have more first sightings.

    The hits that were looked at in vain cost `vain`. `pieces` counts the pieces in which each literal occurs.
    """

    __slots__ = ("_counted", "_hits", "_pieces", "indices", "messages", "number", "vain", "wanted")

    def __init__(self, number: int, messages: list[Message], pieces: Counter[int]) -> None:
        self.number, self.messages, self.wanted, self._pieces = number, messages, messages, pieces
        self.indices = tuple(message.index for message in messages)
        self.vain = self._hits = self._counted = 0
        for message in messages:
            message.literals.append(self)

    @property
    def hits(self) -> int:
        """How often it occurs: an estimate if there were many pieces."""
        return -(-self._hits * self._pieces[self.number] // max(self._counted, 1))

    @property
    def is_counted(self) -> bool:
        """Whether more hits need not be counted."""
        return self._counted >= COUNTED

    @property
    def is_hopeless(self) -> bool:
        """Whether so many hits were looked at in vain that most are left alone."""
        return self.vain >= VAIN

    def count_in(self, piece: Piece, hits: int | None = None) -> None:
        """Count the hits in a piece, in which there are so many, if that is known."""
        if hits is not None or not self.is_counted:
            self._counted += 1
            self._hits += piece.count(self.number) if hits is None else hits


class Message:
    """What is known of one message in a source: its `first` and its `last` sightings.

    So many hits of its literals were `looked` at for the first, and `tried` for the last; `missed` counts records that
    did not hold it.
    """

    __slots__ = ("first", "index", "last", "literals", "looked", "missed", "tried")

    def __init__(self, index: int) -> None:
        self.index = index
        self.first: list[Finding] = []
        self.last: list[Finding] = []
        self.literals: list[Literal] = []
        self.looked = self.missed = self.tried = 0

    @property
    def skipped(self) -> int:
        """How many hits of its literals were not looked at; there may be more sightings than the `first`."""
        return max(0, sum(literal.hits for literal in self.literals) - self.looked)

    def count(self) -> int:
        """Return how often it occurs: an estimate if hits were skipped."""
        first = len(self.first)
        return first + max(len(self.last), round(self.skipped * first / max(self.looked, 1)))

    def is_known(self, finding: Finding) -> bool:
        """Return whether the finding is one of the sightings."""
        return any(finding.offset == other.offset for other in (*self.first, *self.last))


class Sightings:
    """The sightings of messages in one source, whose blocks it gets in order."""

    def __init__(self, catalog: Catalog, verifier: Verifier, records: Records, source: str) -> None:
        self._catalog, self._records, self._source = catalog, records, source
        self._shapes = LineShapes(catalog, verifier)
        self._messages: dict[int, Message] = {}
        self._literals: dict[int, Literal] = {}
        self._pieces: Counter[int] = Counter()  # with each literal
        self._done: set[int] = set()  # literals whose hits are counted and not looked at
        self._hopeless: set[int] = set()  # of those: they are looked at in some pieces
        self._found = 0
        self._more: set[int] = set()  # messages of which enough last sightings were found before all hits were tried
        # Each with its pieces, and the last of them in which each literal occurs.
        self._newest: deque[tuple[Block, list[Piece], dict[int, Piece]]] = deque()
        # Of older blocks, by message: around its last hit, where that is, and the literal.
        self._windows: dict[int, tuple[Block, int, int]] = {}

    @property
    def findings(self) -> Iterator[Finding]:
        """All sightings."""
        return (finding for message in self._messages.values() for finding in (*message.first, *message.last))

    @property
    def counts(self) -> dict[str, int]:
        """How often each message occurs, by its id."""
        return {self._catalog.ids[index]: one.count() for index, one in self._messages.items() if one.first or one.last}

    @property
    def only_counted(self) -> frozenset[str]:
        """The ids of messages that occur between the first and the last sightings, too."""
        return frozenset(self._catalog.ids[index] for index in self._more)

    def add(self, block: Block, pieces: list[Piece]) -> tuple[list[int], Block | None]:
        """Look for the first sightings in a block; return the offsets of failures, and a block no longer needed."""
        failures: list[int] = []
        look = self._look(block)
        for number, piece in enumerate(pieces):
            for offset, literal in sorted(self._due(piece, is_sample=number % SAMPLED == 0)):
                failures += self._first(look, self._literals[literal], offset)
            piece.forget()
        self._newest.append((block, pieces, {}))
        for piece in pieces:
            self._newest[-1][2].update(dict.fromkeys(piece.firsts, piece))
        return failures, self._oldest() if len(self._newest) > NEWEST_BLOCKS else None

    def _look(self, block: Block) -> Look:
        return Look(self._shapes, block, self._records, self._source)

    @property
    def _enough(self) -> int:
        return FIRST if self._found < MOST_FIRST else 1

    def _literal(self, number: int) -> Literal:
        literal = self._literals.get(number)
        if literal is None:
            messages = [
                self._messages.setdefault(index, Message(index)) for index in self._catalog.literals.signatures(number)
            ]
            literal = self._literals[number] = Literal(number, messages, self._pieces)
        return literal

    def _due(self, piece: Piece, *, is_sample: bool) -> Iterator[tuple[int, int]]:
        """Yield the hits in a piece to look at: their offsets and literals."""
        self._pieces.update(piece.firsts.keys())
        for number in piece.firsts.keys() - (self._done - self._hopeless if is_sample else self._done):
            literal = self._literal(number)
            if literal.wanted:
                literal.wanted = [one for one in literal.wanted if len(one.first) < self._enough]
            if literal.is_counted and (literal.is_hopeless or not literal.wanted):
                self._done.add(number)
                (self._hopeless.add if literal.wanted else self._hopeless.discard)(number)
            if not literal.wanted or (literal.is_hopeless and not is_sample):
                literal.count_in(piece)
                continue
            starts = list(islice(piece.starts(number), TRIES))
            literal.count_in(piece, len(starts) if len(starts) < TRIES else None)
            for start in starts[: FEW if literal.is_hopeless else TRIES]:
                yield start, number

    def _first(self, look: Look, literal: Literal, offset: int) -> list[int]:
        """Look for first sightings at a hit; return the offsets of failures among them.

        A message that some records did not hold is looked for only if the line could hold it.
        """
        likely: tuple[int, ...] | None = None
        failures = []
        found = missed = False
        for message in literal.wanted:
            if len(message.first) >= self._enough:
                continue
            if message.missed >= WARY:
                if likely is None:
                    likely = look.likely(literal.indices, offset)
                if message.index not in likely:
                    message.looked += not look.spans_lines(message.index)  # which a line cannot tell
                    continue
            message.looked += 1
            finding = look.find(message.index, offset)
            if finding is None:
                message.missed += 1
                missed = True
                continue
            found = True
            if not message.is_known(finding):
                message.first.append(finding)
                self._found += 1
                if finding.signature.kind in FAILING:
                    failures.append(finding.offset)
        if not found:
            literal.vain += RECORD_COST if missed else 1
        return failures

    def _oldest(self) -> Block:
        """Return the oldest block, of which the last hit of each message is kept that newer blocks may not hold."""
        block, _, pieces = self._newest.popleft()
        newer = set[int]().union(*(others for _, _, others in self._newest))
        look, windows = self._look(block), dict[int, Block]()
        for number, piece in pieces.items():
            is_newer = number in newer
            messages = [
                one
                for one in self._literals[number].messages
                if one.first and (one.missed or not is_newer) and one.skipped
            ]
            for offset in piece.last_starts(number, FEW) if messages else ():
                found = [one for one in messages if self._is_likely(look, one, number, offset)]
                for message in found:
                    messages.remove(message)
                    if offset > self._windows.get(message.index, (None, -1))[1]:
                        place = offset // BEHIND_BYTES
                        if place not in windows:
                            windows[place] = block.window(place * BEHIND_BYTES, BEFORE_BYTES, 2 * BEHIND_BYTES)
                        self._windows[message.index] = windows[place], offset, number
                if not messages:
                    break
        return block

    def _is_likely(self, look: Look, message: Message, literal: int, offset: int) -> bool:
        """Return whether a hit of a literal may be worth a look at its records for the message."""
        if not message.missed or look.spans_lines(message.index):
            return True
        return message.index in look.likely(self._literals[literal].indices, offset)

    def find_last(self) -> Iterator[tuple[Block, list[int]]]:
        """Look for the last sightings, once the source has ended; yield blocks with the offsets of failures in them."""
        count = 0
        for look, hits in self._hits_backwards():
            failures = []
            for offset, index, literal in hits:
                message = self._messages[index]
                most = LAST if count < MOST_LAST else 1
                if len(message.last) >= most or message.tried >= TRIES:
                    self._more.add(index)
                    continue
                message.tried += 1
                finding = look.find(index, offset) if self._is_likely(look, message, literal, offset) else None
                if finding and not message.is_known(finding):
                    message.last.append(finding)
                    count += 1
                    if finding.signature.kind in FAILING:
                        failures.append(finding.offset)
                if count >= MOST_LAST + MOST_OTHERS:
                    break
            if failures:
                yield look.block, failures
            if count >= MOST_LAST + MOST_OTHERS:
                break

    def _hits_backwards(self) -> Iterator[tuple[Look, list[tuple[int, int, int]]]]:
        """Yield the last hits of messages that may have more sightings, piece by piece: offset, message, literal."""
        later = {index: message for index, message in self._messages.items() if message.skipped}
        for block, pieces, _ in reversed(self._newest):
            look = self._look(block)
            for piece in reversed(pieces):
                wanted: list[tuple[int, int, int]] = []
                for number in piece.firsts:
                    messages = [later[index] for index in self._literals[number].indices if index in later]
                    indices = [one.index for one in messages if len(one.last) < LAST and one.tried < TRIES]
                    starts = piece.last_starts(number, TRIES) if indices else ()
                    wanted += ((start, index, number) for start in starts for index in indices)
                yield look, sorted(wanted, reverse=True)
        for index, (window, offset, number) in sorted(self._windows.items(), key=lambda one: one[1][1], reverse=True):
            yield self._look(window), [(offset, index, number)]
