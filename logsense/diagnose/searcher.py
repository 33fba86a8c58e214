"""A regex out of a file of knowledge; one of a user's own, which nobody has tried, is given up when it takes long."""

from __future__ import annotations

from logsense.model import regexes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from logsense.model.system import Sign

LIMIT_S = 0.2


class Searcher:
    """Looks for `pattern` in texts. Where it is `timed`, each look may raise TimeoutError."""

    __slots__ = ("_compiled", "_limit")

    def __init__(self, pattern: str, *, timed: bool) -> None:
        self._compiled: Any
        self._limit: dict[str, float] = {}
        if timed:
            import regex  # the only engine with a time limit

            self._compiled, self._limit = regex.compile(pattern), {"timeout": LIMIT_S}
        else:
            self._compiled = regexes.compiled(pattern)

    def count(self, text: str) -> int:
        """How often it matches."""
        return sum(1 for _ in self._compiled.finditer(text, **self._limit))

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere."""
        return self._compiled.search(text, **self._limit) is not None

    def is_all(self, text: str) -> bool:
        """Whether it matches the whole text."""
        return self._compiled.fullmatch(text, **self._limit) is not None

    def replaced(self, put: str, text: str) -> str:
        """`text` with `put` in place of each match."""
        return str(self._compiled.sub(put, text, **self._limit))


def times_in(text: str, sign: Sign, *, timed: bool) -> int:
    """How often `sign` stands in `text`; 0 where it takes too long to tell."""
    if not any(piece in text for piece in sign.holds):
        return 0
    try:
        return Searcher(sign.pattern, timed=timed).count(text)
    except TimeoutError:
        return 0
