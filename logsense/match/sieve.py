"""Tells which parts of a block may hold literals at all, with fewer and shorter texts: of a quiet log, next to none."""

from __future__ import annotations

import re
from collections import Counter

from logsense.match.databases import Stopped, compiled, kept, path_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.match.databases import Buffer, Database
    from logsense.model.knowledge import Literals

    Text = tuple[bytes, bool]  # and whether it ignores case

# Of a literal so many bytes in a row are looked for. Fewer would stand in healthy logs all the time, and of more each
# would belong to one literal alone.
WINDOW_BYTES = 12
MOST_SPOTS = 256  # in a block; where there are more, it is quicker to look for all literals everywhere
PASSED = 3  # blocks behind such a one are taken to be like it
# A sieve that is not there is made only when so much was searched in vain that there may be more logs of that kind.
MADE_AFTER_BYTES = 256 << 20


class Sieve:
    """The places where any of the `literals`, of up to `longest` bytes, may stand; kept in `folder` between runs."""

    def __init__(self, literals: Literals, longest: int, folder: str | None) -> None:
        self._literals, self._longest, self._folder = literals, longest, folder
        self._database: Database | None = None
        self._asked = self._made = False
        self._searched = self._pass = 0

    def searched(self, size: int, hits: int) -> None:
        """Note that a block of `size` bytes was searched for all literals: a sieve would help where few were found."""
        if hits <= MOST_SPOTS:
            self._searched += size

    def spots(self, block: Buffer) -> list[tuple[int, int]] | None:
        """Ranges of `block`, ascending and apart, outside of which no literal stands; None where that isn't known."""
        if self._database is None:
            self._prepare()
        if self._database is None:
            return None
        if self._pass:
            self._pass -= 1
            return None
        ends: list[int] = []

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> bool:
            ends.append(end)
            return len(ends) > MOST_SPOTS

        try:
            self._database.search(block, on_match)
        except Stopped:
            self._pass = PASSED
            return None
        return _merged(ends, self._longest, len(block))

    def _prepare(self) -> None:
        if not self._asked:
            self._asked = True
            self._database, _ = kept(path_for(self._literals, self._folder, "sieve"))
        elif not self._made and self._searched > MADE_AFTER_BYTES:
            self._made = True  # other threads go on without
            self._database = sieve_of(self._literals, self._folder)


def sieve_of(literals: Literals, folder: str | None) -> Database:
    """The database of the sieve, from `folder` or made and kept there."""
    database, path = kept(path_for(literals, folder, "sieve"))
    return database or compiled(windows(literals), path)


def windows(literals: Literals) -> list[Text]:
    """Texts so chosen that each literal holds one of them, few of which are shorter than WINDOW_BYTES."""
    texts = [(text.encode(), number in literals.folded) for number, text in enumerate(literals.texts)]
    shared: Counter[Text] = Counter()
    for text in texts:
        shared.update(_windows(text))
    chosen: set[Text] = set()
    for text in sorted(texts, key=lambda text: len(text[0])):  # a short one leaves the least choice
        has = _windows(text)
        if chosen.isdisjoint(has):
            chosen.add(max(has, key=shared.__getitem__))
    return sorted(chosen)


def _windows(text: Text) -> list[Text]:
    """Texts of which each stands wherever `text` does: those that end with a word, which more literals share."""
    data, ignore_case = text
    ends = {max(WINDOW_BYTES, found.start()) for found in re.finditer(rb"[^A-Za-z0-9]+|$", data)}
    return [(data[max(0, end - WINDOW_BYTES) : end], ignore_case) for end in sorted(ends)]


def _merged(ends: Sequence[int], longest: int, size: int) -> list[tuple[int, int]]:
    """The ranges of a block of `size` bytes in which texts of up to `longest` bytes lie that go over one of `ends`."""
    spots: list[tuple[int, int]] = []
    for end in sorted(ends):
        begin, stop = max(0, end - longest), min(size, end + longest)
        if spots and begin <= spots[-1][1]:
            spots[-1] = spots[-1][0], stop
        else:
            spots.append((begin, stop))
    return spots
