"""Finds the first and the last sightings of each message in a source; those between are only counted."""

from __future__ import annotations

from collections import deque
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
TRIES = 400  # hits of a message that are looked at in a piece of the source, and for its last sightings
WARY = 8  # records looked at in vain, after which a message's hits are looked at in their lines first
# After so many lines looked at in vain, where a record counts as several, only a few hits in some pieces are looked at.
VAIN, FEW, SAMPLED = 2000, 8, 16
RECORD_COST = 20
NEWEST_BLOCKS = 3  # are kept whole, to look for the last sightings in
# Of older blocks, so many bytes around the last hit of each message are kept.
BEFORE_BYTES, BEHIND_BYTES = 16 << 10, AFTER_BYTES // 2


class Message:
    """What is known of one message in a source.

    `hits` of its literals were counted; of those, some were `looked` at, and those in vain cost `vain`. If hits were
    `skipped`, there may be more sightings than the `first`; so many were `tried` as the `last`.
    """

    __slots__ = ("first", "hits", "last", "looked", "missed", "skipped", "tried", "vain")

    def __init__(self) -> None:
        self.first: list[Finding] = []
        self.last: list[Finding] = []
        self.hits = self.looked = self.missed = self.vain = self.tried = 0
        self.skipped = False

    @property
    def may_be_later(self) -> bool:
        """Whether more of the last sightings are to be looked for."""
        return self.skipped and len(self.last) < LAST and self.tried < TRIES

    def count(self) -> int:
        """Return how often it occurs: an estimate if hits were skipped."""
        held = len(self.first) + len(self.last)
        return max(held, held + round((self.hits - self.looked) * held / max(self.looked, 1)))

    def is_known(self, finding: Finding) -> bool:
        """Return whether the finding is one of the sightings."""
        return any(finding.offset == other.offset for other in (*self.first, *self.last))


class Sightings:
    """The sightings of messages in one source, whose blocks it gets in order."""

    def __init__(self, catalog: Catalog, verifier: Verifier, records: Records, source: str) -> None:
        self._catalog, self._records, self._source = catalog, records, source
        self._shapes = LineShapes(catalog, verifier)
        self._signatures = catalog.literals.signatures
        self._messages: dict[int, Message] = {}
        self._found = 0
        self._newest: deque[tuple[Block, list[Piece]]] = deque()
        self._windows: dict[int, tuple[Block, int]] = {}  # of older blocks: around the last hit of each message

    @property
    def findings(self) -> Iterator[Finding]:
        """All sightings."""
        return (finding for message in self._messages.values() for finding in (*message.first, *message.last))

    @property
    def counts(self) -> dict[str, int]:
        """How often each message occurs, by its id."""
        return {self._catalog.ids[index]: one.count() for index, one in self._messages.items() if one.first or one.last}

    def add(self, block: Block, pieces: list[Piece]) -> tuple[list[int], Block | None]:
        """Look for the first sightings in a block; return the offsets of failures, and a block no longer needed."""
        failures: list[int] = []
        look = self._look(block)
        for number, piece in enumerate(pieces):
            for offset, index in sorted(self._due(piece, is_sample=number % SAMPLED == 0)):
                finding = self._first(look, index, offset)
                if finding and finding.signature.kind in FAILING:
                    failures.append(finding.offset)
        self._newest.append((block, pieces))
        return failures, self._oldest() if len(self._newest) > NEWEST_BLOCKS else None

    def _look(self, block: Block) -> Look:
        return Look(self._shapes, block, self._records, self._source)

    @property
    def _enough(self) -> int:
        return FIRST if self._found < MOST_FIRST else 1

    def _due(self, piece: Piece, *, is_sample: bool) -> Iterator[tuple[int, int]]:
        """Yield the hits in a piece to look at: their offsets and messages."""
        for number in piece.firsts:
            starts: list[int] = []
            count = 0
            for index in self._signatures(number):
                message = self._messages.setdefault(index, Message())
                is_hopeless = message.vain >= VAIN
                enough = len(message.first) >= self._enough or (is_hopeless and not is_sample)
                most = 0 if enough else FEW if is_hopeless else TRIES
                if most and not starts:
                    starts = list(islice(piece.starts(number), TRIES))
                if len(starts) < most:
                    message.hits += len(starts)
                else:
                    message.skipped = True
                    if message.first or not is_hopeless:
                        count = count or piece.count(number)
                    message.hits += count if message.first or not is_hopeless else most
                for start in starts[:most]:
                    yield start, index

    def _first(self, look: Look, index: int, offset: int) -> Finding | None:
        """Return a first sighting that is new."""
        message = self._messages[index]
        if len(message.first) >= self._enough:
            message.skipped = True
            return None
        finding = self._seen(look, message, index, offset)
        if finding is None or message.is_known(finding):
            return None
        message.first.append(finding)
        self._found += 1
        return finding

    def _seen(self, look: Look, message: Message, index: int, offset: int) -> Finding | None:
        """Return what is found at a hit: first a glance at its line, where others were in vain."""
        message.looked += 1
        if message.missed >= WARY and not look.could_hold(index, offset):
            message.vain += 1
            return None
        finding = look.find(index, offset)
        if finding is None:
            message.missed += 1
            message.vain += RECORD_COST
        return finding

    def _oldest(self) -> Block:
        """Return the oldest block, of which the last hit of each message is kept that newer blocks may not hold."""
        block, pieces = self._newest.popleft()
        newer = {number for _, others in self._newest for piece in others for number in piece.firsts}
        look, done = self._look(block), set[int]()
        for piece in reversed(pieces):
            for number in piece.firsts:
                for index in self._signatures(number):
                    message = self._messages[index]
                    if index in done or not message.skipped or not message.first:
                        continue
                    if not message.vain and number in newer:
                        continue
                    offset = self._last_likely(look, message, index, piece, number)
                    if offset is not None:
                        done.add(index)
                        self._windows[index] = block.window(offset, BEFORE_BYTES, BEHIND_BYTES), offset
        return block

    def _last_likely(self, look: Look, message: Message, index: int, piece: Piece, number: int) -> int | None:
        """Return where in `piece` a literal begins last in a line that could hold the message."""
        last = piece.last_starts(number, FEW)
        return next((one for one in last if not message.vain or look.could_hold(index, one)), None)

    def find_last(self) -> Iterator[tuple[Block, list[int]]]:
        """Look for the last sightings, once the source has ended; yield blocks with the offsets of failures in them."""
        count = 0
        for look, hits in self._hits_backwards():
            failures = []
            for offset, index in hits:
                message = self._messages[index]
                most = LAST if count < MOST_LAST else 1 if count < MOST_LAST + MOST_OTHERS else 0
                if len(message.last) >= most or message.tried >= TRIES:
                    continue
                message.tried += 1
                finding = self._seen(look, message, index, offset)
                if finding and not message.is_known(finding):
                    message.last.append(finding)
                    count += 1
                    if finding.signature.kind in FAILING:
                        failures.append(finding.offset)
            if failures:
                yield look.block, failures

    def _hits_backwards(self) -> Iterator[tuple[Look, list[tuple[int, int]]]]:
        """Yield the last hits of messages that may have more sightings, piece by piece."""
        for block, pieces in reversed(self._newest):
            look = self._look(block)
            for piece in reversed(pieces):
                wanted: list[tuple[int, int]] = []
                for number in piece.firsts:
                    indices = [index for index in self._signatures(number) if self._messages[index].may_be_later]
                    starts = piece.last_starts(number, TRIES) if indices else ()
                    wanted += ((start, index) for start in starts for index in indices)
                yield look, sorted(wanted, reverse=True)
        for index, (window, offset) in sorted(self._windows.items(), key=lambda one: one[1][1], reverse=True):
            yield self._look(window), [(offset, index)]
