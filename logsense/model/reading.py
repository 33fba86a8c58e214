"""What was read in one source, and the incident that several readings make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from logsense.model.finding import Finding
from logsense.model.line import Part, Places
from logsense.model.record import Record
from logsense.util.noun import NamedTuple

Place = tuple[int | None, str | None]

FAILING = ("failure", "consequence")
NOWHERE = (None, None)


class Excerpt(NamedTuple):
    """A part of a source: whole lines from byte `offset` on, the first of which has number `line`."""

    offset: int = 0
    line: int = 1
    text: bytes = b""

    @property
    def end(self) -> int:
        """The byte offset of its end."""
        return self.offset + len(self.text)

    def cut(self, begin: int, end: int) -> Excerpt:
        """Return the part of it between two byte offsets of the source."""
        begin = min(max(begin, self.offset), self.end)
        line = self.line + self.text.count(b"\n", 0, begin - self.offset)
        return Excerpt(begin, line, self.text[begin - self.offset : max(0, end - self.offset)])

    def last(self, most: int) -> Excerpt:
        """Return its last lines, of at most `most` bytes."""
        if len(self.text) <= most:
            return self
        at = len(self.text) - most
        return self.cut(self.offset + (self.text.find(b"\n", at, -1) + 1 or at), self.end)


class SourceEnd(NamedTuple):
    """The last records of a source, and the progress that they report."""

    records: tuple[Record, ...] = ()
    progress: tuple[Finding, ...] = ()


class Reading(NamedTuple):
    """What was read in one source.

    `size` is in bytes. `findings` are the first and last of each signature, in order; `counts` says how often each
    occurred. `head` is the beginning of the source, `texts_before` some of the texts before failures, `tail` its end;
    `records_in` parses them. `restarts` are the offsets at which the job started again
    without a message that says so. `places` says where people find its lines if it was unwrapped. `end` is known if it
    was read along with the scan. `place` is the rank and host that the source belongs to by its name.
    """

    source: str
    findings: Sequence[Finding] = ()
    counts: Mapping[str, int] = MappingProxyType({})
    only_counted: frozenset[str] = frozenset()
    size: int = 0
    lines: int = 0
    head: Excerpt = Excerpt()
    texts_before: Sequence[Excerpt] = ()
    tail: Excerpt = Excerpt()
    restarts: Sequence[int] = ()
    places: Places | None = None
    end: SourceEnd | None = None
    place: Place = NOWHERE

    @property
    def parts(self) -> Sequence[Part]:
        """The named parts of the source, such as the cells of a notebook."""
        return self.places.parts if self.places else ()


class FailedItems(NamedTuple):
    """How many of the items that a program worked on failed; `total` is 0 if unknown."""

    failed: int = 0
    total: int = 0

    @property
    def all_failed(self) -> bool:
        """Return whether every item failed."""
        return 0 < self.total <= self.failed


class Coverage(NamedTuple):
    """How many ranks should have logs, and whose are missing, empty, or cut off early."""

    ranks: int
    missing: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()

    @property
    def incomplete(self) -> frozenset[int]:
        """The ranks whose log is missing, empty or cut off."""
        return frozenset((*self.missing, *self.empty, *self.cut))


class Incident(NamedTuple):
    """The findings that belong to one failure, over all sources.

    `failing` are the failures and consequences that ended the run, in order; `context` is everything else found in that
    run (hints, facts, noise); `survived` are failures after which training continued. `ends` has one entry per source.
    `starts` holds, for each source, the message that began its last run, if it has several. `progress_before` is the
    progress before the failure if it is too far back for `ends`. `begin_times` are the times on the first lines of the
    failure's source, one per clock. `places` gives the number of each source. `logs` says which ranks' logs are
    incomplete, if any, so that their silence means little. `tally` counts the items that failed and were survived.
    `machine_log` is the machine's own log, if it mentions this job. `only_counted` are the messages of which not every
    occurrence is a finding. `ends_in_alarm` and `alarm_before_status` say whether one of the last lines, or of those
    right before a bare status, looks like an error that no known message explains.
    """

    outcome: str
    failing: tuple[Finding, ...]
    context: tuple[Finding, ...]
    survived: tuple[Finding, ...]
    noise: tuple[Finding, ...]
    ends: tuple[SourceEnd, ...]
    counts: Mapping[str, int]
    sources: tuple[str, ...]
    lines: int
    size: int
    last: tuple[str, ...] = ()
    starts: tuple[Finding | None, ...] = ()
    progress_before: tuple[Finding, ...] = ()
    begin_times: tuple[str, ...] = ()
    places: Mapping[str, int] = MappingProxyType({})
    logs: Coverage | None = None
    machine_log: str = ""
    only_counted: frozenset[str] = frozenset()
    tally: FailedItems = FailedItems()
    ends_in_alarm: bool = False
    alarm_before_status: bool = False

    @property
    def incomplete_ranks(self) -> frozenset[int]:
        """The ranks whose log is incomplete."""
        return self.logs.incomplete if self.logs else frozenset()

    def order(self, finding: Finding) -> tuple[int, int, int]:
        """Return a sort key of findings: source, byte offset of the record, position in it."""
        source = finding.record.source
        number = self.places.get(source)
        if number is None:
            number = self.sources.index(source) if source in self.sources else 0
        return (number, finding.offset, finding.at)
