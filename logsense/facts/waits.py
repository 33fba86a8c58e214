"""Whom the others waited for: named by a message, in another collective, behind in the count, or silent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from logsense.match.code import is_library
from logsense.model.finding import Fact, Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

# With which launchers stop those that are left.
SIGTERM = 15
_SIGTERM = r"\bSIGTERM\b|\b[Ss]ignal 15\b"
# What a message states that tells of a collective that ran out of time.
_TIMED_OUT = {"collective.timeout", "collective.ran"}
SAME_SIZES = "collectives"  # the table of those that need the same size of every rank
_RANK_FIELD = r"(?m)^[ \t]*rank[ \t]*[:=][ \t]*(\d{1,6})\b"


class Waits:
    """Whom the ranks of one incident waited for. Each question is answered once, however many rules ask it."""

    def __init__(
        self, incident: Incident, stated: Callable[[str, Finding | None], Fact | None], catalog: Catalog
    ) -> None:
        self._incident, self._stated, self._catalog = incident, stated, catalog

    def awaited(self, anchor: Finding | None) -> tuple[int, ...]:
        """The ranks that others waited for: named by a message, in another collective, behind in the count, or
        silent."""
        named = self._stated("collective.missing_ranks", anchor)
        return (named and _numbers(str(named.value))) or self._unnamed

    @cached_property
    def mismatched(self) -> tuple[int, ...]:
        """The ranks that called another collective than most others, or one of another size, or in another place."""
        for ranks in self._calls:
            usual = _usual(ranks)
            other = tuple(sorted(rank for rank, call in ranks.items() if call != usual))
            if other and len(ranks) > 2 * len(other):
                return other
        return self._shifted or _elsewhere(self._incident)

    @cached_property
    def _shifted(self) -> tuple[int, ...]:
        """The ranks that hung in another collective than most others, one number before or behind theirs: they had
        left out a call, or made one more."""
        first: dict[object, dict[int, tuple[int, object]]] = {}  # what did not end first, by group and rank
        calls = [(number, group, ranks) for (group, number), ranks in self._numbered.items() if isinstance(number, int)]
        for number, group, ranks in sorted(calls, key=lambda one: one[0], reverse=True):
            first.setdefault(group, {}).update({rank: (number, call[1]) for rank, call in ranks.items()})
        for hung in first.values():
            usual, op = _usual(hung)
            astray = tuple(sorted(rank for rank, call in hung.items() if call[1] != op and abs(call[0] - usual) == 1))
            if astray and len(hung) > 2 * len(astray):
                return astray
        return ()

    @cached_property
    def sizes_differ(self) -> bool:
        """Whether ranks called one collective under one number with different sizes, which it does not allow."""
        differ = [
            next(iter(ranks.values()))[1]
            for ranks in self._calls
            if len({call[1] for call in ranks.values()}) == 1 and len({call[2] for call in ranks.values()} - {None}) > 1
        ]
        table = self._catalog.table(SAME_SIZES) if differ else None
        return table is not None and any(row["collective"] in differ for row in table.rows)

    @cached_property
    def _unnamed(self) -> tuple[int, ...]:
        return self.mismatched or _behind(self._incident) or silent_ranks(self._incident)

    @property
    def _calls(self) -> Iterable[dict[int, tuple[object, ...]]]:
        return self._numbered.values()

    @cached_property
    def _numbered(self) -> dict[tuple[object, object], dict[int, tuple[object, ...]]]:
        """For each number of a collective in its group, what each rank called under it."""
        calls: dict[tuple[object, object], dict[int, tuple[object, ...]]] = {}
        for finding in (*self._incident.failing, *self._incident.context):
            if finding.rank is not None and (call := _call(finding)):
                calls.setdefault((finding.captures.get("group"), call[0]), {}).setdefault(finding.rank, call)
        return calls


def silent_ranks(incident: Incident) -> tuple[int, ...]:
    """The ranks that report no failure while most others do; none where that is not a small part of them."""
    failed, stopped = summed_up(incident)
    told = complaining(incident)
    # Of those who do not say themselves that they failed, the launcher does.
    told = told | (failed & incident.incomplete_ranks) if told else failed
    seen = told | {f.rank for f in incident.context if f.rank is not None}
    for ending in incident.ends:
        seen |= {record.prefix.rank for record in ending.records if record.prefix.rank is not None}
    if not told:
        return ()
    if max(seen) >= 2 * (len(told | stopped) + 1):
        return ()  # which also keeps a number that is no rank from becoming a list
    missing = set(range(max(seen | stopped) + 1)) - told
    # A rank that hangs is stopped by the launcher, too, but one that left before the others is not.
    left = missing - stopped
    told, missing = (told | stopped, left) if left else (told, missing)
    # Where a log ends in silence, that counts for more than that another is not there.
    missing = missing - incident.incomplete_ranks or missing
    # Of two ranks, of which one complains, the other one is meant.
    pair = len(told) == len(missing) == 1 and missing <= seen
    return tuple(sorted(missing)) if missing and (pair or 2 * len(missing) <= len(told)) else ()


def summed_up(incident: Incident) -> tuple[set[int], set[int]]:
    """The ranks that failed, and those that were there until the launcher stopped them, by the entries that its
    summary has for each."""
    failed: set[int] = set()
    stopped: set[int] = set()
    for finding in incident.failing:
        slot = finding.signature.facts.get("process.signal")
        if slot is None:
            continue
        # The texts between the fields that name a rank: what was said before the first, then each rank and its entry.
        said = re.split(_RANK_FIELD, finding.record.text)
        for rank, entry in zip(said[1::2], said[2::2], strict=True):
            (stopped if re.search(_SIGTERM, entry) else failed).add(int(rank))
        if len(said) == 1 and finding.rank is not None and finding.captures.get(slot) == SIGTERM:
            stopped.add(finding.rank)
    return failed, stopped


def complaining(incident: Incident) -> set[int]:
    """The ranks that report a failure themselves; what a launcher says of them in the end does not count."""
    return {f.rank for f in incident.failing if f.rank is not None and not f.signature.ends_run}


def field(anchor: Finding) -> int | None:
    """The rank that a field in front of the message says, in a summary with an entry for each rank."""
    found = re.findall(_RANK_FIELD, anchor.record.text[: anchor.at])
    return int(found[-1]) if found else None


def _usual(by_rank: dict[int, T]) -> T:
    """What most ranks have, or the first of several that are as many; there is at least one."""
    from collections import Counter

    return Counter(by_rank.values()).most_common(1)[0][0]


def _elsewhere(incident: Incident) -> tuple[int, ...]:
    """The ranks that ran out of time in another place of the script than most others, who all were in one place."""
    places: dict[int, tuple[object, ...]] = {}
    for finding in incident.failing:
        raised, rank = finding.record.raised, finding.rank
        if rank is None or raised is None or not finding.signature.facts.keys() & _TIMED_OUT:
            continue
        own = [frame for frame in raised.frames if not is_library(frame.file)]
        if own:
            places.setdefault(rank, (own[-1].file, own[-1].line))
    if not places:
        return ()
    usual = _usual(places)
    other = tuple(sorted(rank for rank, place in places.items() if place != usual))
    return other if len(places) > 2 * len(other) else ()


def _call(finding: Finding) -> tuple[object, ...] | None:
    """The number, the name and the sizes of the collective that a message tells of."""
    facts, captures = finding.signature.facts, finding.captures
    number, op = (captures.get(facts.get(name, "")) for name in ("collective.seq", "collective.op"))
    if number is None or op is None:
        return None
    return number, op, captures.get(facts.get("collective.numel_in", "")), captures.get("sizes")


def _behind(incident: Incident) -> tuple[int, ...]:
    """The ranks that had queued fewer collectives of a process group than most others when the watchdog looked."""
    groups: dict[object, dict[int, int]] = {}
    for finding in (*incident.failing, *incident.context):
        slot = finding.signature.facts.get("collective.last_enqueued")
        value = finding.captures.get(slot) if slot else None
        if finding.rank is not None and isinstance(value, int):
            queued = groups.setdefault(finding.captures.get("group"), {})
            queued[finding.rank] = max(value, queued.get(finding.rank, value))
    for queued in groups.values():
        most = max(queued.values())
        behind = tuple(sorted(rank for rank, value in queued.items() if value < most))
        if behind and 2 * len(behind) <= len(queued):
            return behind
    return ()


def _numbers(text: str) -> tuple[int, ...]:
    """The ranks in a list as programs print it: "2", "2, 5", "[2, 5]"; none where there is anything else."""
    if not re.fullmatch(r"[\s\[\](){},;\d]*(?:and[\s\d,]*)?", text):
        return ()
    return tuple(sorted({int(number) for number in re.findall(r"\d{1,6}", text)}))
