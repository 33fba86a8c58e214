"""Exact matching: does a signature hold in a record, and what do its slots carry?"""

from __future__ import annotations

import re

from logsense.model.finding import Finding
from logsense.model.record import Record
from logsense.model.values import slot_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from logsense.model.signature import Pattern, Signature

# How many records after the one that holds a message may still hold its detail lines or its wrapped end.
FOLLOWING = 6
PLAIN_LIMIT_S = 0.5


class Verifier:
    """Compiles each signature once, when it is first asked for."""

    def __init__(self) -> None:
        self._compiled: dict[str, tuple[list[tuple[Any, Pattern]], list[tuple[Any, Pattern]]]] = {}

    def forget(self) -> None:
        """Drop what was compiled, for signatures that may have changed under their ids."""
        self._compiled.clear()

    def find(self, signature: Signature, records: Sequence[Record], number: int) -> Finding | None:
        """The finding of `signature` in `records[number]`, or None.

        A message that the log wraps may end in the records that follow; detail lines are looked for there too.
        """
        match, also = self._patterns(signature)
        record = records[number]
        text = record.text
        for compiled, pattern in match:
            found = self._search(compiled, text, signature.plain)
            if found is None and number + 1 < len(records) and pattern.literal[:LEAD] in text:
                text_on = _joined(records, number, 3)
                found = self._search(compiled, text_on, signature.plain)
                if found is not None and found.start() >= len(text):
                    found = None
            if found is not None:
                captures = _captures(found, pattern)
                self._details(also, records, number, captures, signature.plain)
                return Finding(signature, record, found.start(), captures)
        return None

    def _details(
        self,
        also: list[tuple[Any, Pattern]],
        records: Sequence[Record],
        number: int,
        captures: dict[str, object],
        plain: bool,
    ) -> None:
        text = records[number].text
        wider: str | None = None
        for compiled, pattern in also:
            found = self._search(compiled, text, plain)
            if found is None:
                wider = _joined(records, number, FOLLOWING) if wider is None else wider
                found = self._search(compiled, wider, plain)
            if found is not None:
                for name, value in _captures(found, pattern).items():
                    captures.setdefault(name, value)

    def _patterns(self, signature: Signature) -> tuple[list[tuple[Any, Pattern]], list[tuple[Any, Pattern]]]:
        if signature.id not in self._compiled:
            engine: Any = re
            if signature.plain:
                import regex  # its search can be given a time limit, which a hand-written regex needs

                engine = regex
            flags = engine.IGNORECASE if signature.ignore_case else 0
            self._compiled[signature.id] = (
                [(engine.compile(pattern.regex, flags), pattern) for pattern in signature.match],
                [(engine.compile(pattern.regex, flags), pattern) for pattern in signature.also],
            )
        return self._compiled[signature.id]

    @staticmethod
    def _search(compiled: Any, text: str, plain: bool) -> Any:
        if not plain:
            return compiled.search(text)
        try:
            return compiled.search(text, timeout=PLAIN_LIMIT_S)
        except TimeoutError:
            return None


LEAD = 8  # so much of a literal must stand in a record before its wrapped end is looked for in the next


def _joined(records: Sequence[Record], number: int, more: int) -> str:
    rank = records[number].prefix.rank
    texts = [records[number].text]
    following = records[number + 1 : number + 1 + more]
    texts += [record.text[:4000] for record in following if record.prefix.rank == rank and record.raised is None]
    return "\n".join(texts)


def _captures(found: Any, pattern: Pattern) -> dict[str, object]:
    groups = found.groupdict()
    return {
        name: slot_value(kind, groups[name]) for name, kind in pattern.slots.items() if groups.get(name) is not None
    }
