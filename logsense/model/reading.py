"""What was seen in one source, and what became of it: the values that correlating hands to diagnosing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from logsense.model.finding import Finding
from logsense.model.line import Part
from logsense.model.record import Record
from logsense.util.noun import NamedTuple

Place = tuple[int | None, str | None]

FAILING = ("failure", "consequence")
NOWHERE = (None, None)


class Lead(NamedTuple):
    """What stands in front of a failure: `text` from `offset` on, whose first line is `line`, up to `end`."""

    offset: int
    line: int
    text: bytes

    @property
    def end(self) -> int:
        """Where the failure's record begins."""
        return self.offset + len(self.text)


class Ending(NamedTuple):
    """The end of one source: its last records, and the progress that they report."""

    records: tuple[Record, ...] = ()
    progress: tuple[Finding, ...] = ()


class Reading(NamedTuple):
    """What was seen in one source. `tail` is its end, from `tail_offset`, whose first line is `tail_line`.

    `size` counts bytes. `counts` says how often each signature was seen; `findings` holds the first and the last of
    them, in order. `head` is the source's beginning; `leads` are the lines in front of failures, some of them.
    `restarts` are the offsets at which the job began anew without a message that says so. `turned` says which line of
    the source each line was, where it stood newest first and was read from its end. `parts` are those of the source.
    `glance` is what a short look at the very end shows, where that was done along with the scan. `place` is the rank
    and the machine that the source is of, where its name says so.
    """

    source: str
    findings: Sequence[Finding] = ()
    counts: Mapping[str, int] = MappingProxyType({})
    size: int = 0
    lines: int = 0
    head: bytes = b""
    leads: Sequence[Lead] = ()
    tail: bytes = b""
    tail_offset: int = 0
    tail_line: int = 1
    restarts: Sequence[int] = ()
    turned: Sequence[int] | None = None
    parts: Sequence[Part] = ()
    glance: Ending | None = None
    place: Place = NOWHERE


class Incident(NamedTuple):
    """The findings that belong to one failure, over all sources.

    `failing` are the failures and consequences that ended the run, first one first; `context` is everything else
    that was seen in that run (hints, facts, noise); `survived` are failures after which training went on.
    `order` gives each finding's place: lower is earlier. `starts` holds, for each source, the message that began its
    last run, where it has several. `run_up` is the progress in front of the failure, where that lies so far back that
    no ending holds it; `began` are the times, one for each clock, that the first lines of the failure's source carry.
    `places` gives the number of each source. `unheard` are ranks whose log is not there, or not to its end: that they
    say nothing means little. `beside` is the name of the machine's own log, where it tells of this job.
    """

    outcome: str
    failing: tuple[Finding, ...]
    context: tuple[Finding, ...]
    survived: tuple[Finding, ...]
    noise: tuple[Finding, ...]
    endings: tuple[Ending, ...]
    counts: Mapping[str, int]
    sources: tuple[str, ...]
    lines: int
    size: int
    last: tuple[str, ...] = ()
    starts: tuple[Finding | None, ...] = ()
    run_up: tuple[Finding, ...] = ()
    began: tuple[str, ...] = ()
    places: Mapping[str, int] = MappingProxyType({})
    unheard: frozenset[int] = frozenset()
    beside: str = ""

    def order(self, finding: Finding) -> tuple[int, int, int]:
        """What findings are ordered by: their source, their record's offset, their place in it."""
        source = finding.record.source
        number = self.places.get(source)
        if number is None:
            number = self.sources.index(source) if source in self.sources else 0
        return (number, finding.offset, finding.at)
