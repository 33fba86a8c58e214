"""A finding: a signature found in a record, with typed captures. A fact: a named value and its origin."""

from __future__ import annotations

from logsense.model.record import Record
from logsense.model.signature import Signature
from logsense.util.noun import NamedTuple


class Finding(NamedTuple):
    """A signature found in a record. `at` is the position of the match in `record.text`.

    `captures` holds the values of the slots, converted to their types: bytes as int, durations in seconds as float.
    `last_offset` is the byte offset of the last record that holds a part of the message, if it is not `record`.
    """

    signature: Signature
    record: Record
    at: int
    captures: dict[str, object]
    last_offset: int = 0

    def covers(self, record: Record) -> bool:
        """Return whether the message begins in `record` or goes on there."""
        last = max(self.offset, self.last_offset)
        return record.source == self.record.source and self.offset <= record.offset <= last

    @property
    def rank(self) -> int | None:
        """The rank that printed the message, from its prefix or a slot named `rank`."""
        captured = self.captures.get("rank")
        return captured if isinstance(captured, int) else self.record.prefix.rank

    @property
    def host(self) -> str | None:
        """The host that printed the message, if the log says."""
        captured = self.captures.get("host")
        return captured if isinstance(captured, str) else self.record.prefix.host

    @property
    def line(self) -> int:
        """The line number of the match in the text that was read, from 1."""
        return self.record.line_at(self.at)

    @property
    def place(self) -> tuple[str, int]:
        """Where people find the match: the source or its part, and the line number there."""
        return self.record.place(self.line)

    @property
    def text(self) -> str:
        """The line of the record in which the match starts."""
        return self.record.text_at(self.at)

    @property
    def offset(self) -> int:
        """The byte offset of the finding's record in its source."""
        return self.record.offset


class Fact(NamedTuple):
    """A named, typed value for rules, and the finding that states it (None: derived).

    `source` names the part of the machine that a fact was read from.
    """

    name: str
    value: object
    finding: Finding | None = None
    source: str = ""
