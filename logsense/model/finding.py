"""A finding: a signature seen in a record, with typed captures; and a fact: a named value with its origin."""

from __future__ import annotations

from logsense.model.record import Record
from logsense.model.signature import Signature
from logsense.util.noun import NamedTuple


class Finding(NamedTuple):
    """A signature seen in a record. `at` is the position of the match in `record.text`.

    `captures` holds the slots' values, converted to their types: bytes as int, durations in seconds as float.
    """

    signature: Signature
    record: Record
    at: int
    captures: dict[str, object]

    @property
    def rank(self) -> int | None:
        """The rank that printed the message, from its prefix or from a slot called `rank`."""
        captured = self.captures.get("rank")
        return captured if isinstance(captured, int) else self.record.prefix.rank

    @property
    def host(self) -> str | None:
        """The host that printed the message, where the log says."""
        captured = self.captures.get("host")
        return captured if isinstance(captured, str) else self.record.prefix.host

    @property
    def line(self) -> int:
        """The 1-based line number of the match in its source."""
        return self.record.line_at(self.at)

    @property
    def text(self) -> str:
        """The line of the record that the match starts in."""
        return self.record.text_at(self.at)

    @property
    def offset(self) -> int:
        """Where the finding's record starts in the source, in bytes."""
        return self.record.offset


class Fact(NamedTuple):
    """A named, typed value that rules may ask for, and the finding it was read from (None: worked out).

    `source` says where a fact was read that no log line states: a part of the machine.
    """

    name: str
    value: object
    finding: Finding | None = None
    source: str = ""
