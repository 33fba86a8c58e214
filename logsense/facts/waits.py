"""Determines which ranks the others waited for: named by a message, in another collective, behind, or silent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property

from logsense.model.finding import Fact, Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident
from logsense.util.frame_files import is_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

# The signal with which launchers stop the remaining processes.
SIGTERM = 15
_SIGTERM = r"\bSIGTERM\b|\b[Ss]ignal 15\b"
# Facts in messages about a collective that timed out.
_TIMED_OUT = {"collective.timeout", "collective.ran"}
SAME_SIZES = "collectives"  # the table of collectives that need the same size on every rank
_RANK_FIELD = r"(?m)^[ \t]*rank[ \t]*[:=][ \t]*(\d{1,6})\b"


class Waits:
    """The ranks of an incident that the others waited for; each result is cached."""

    def __init__(
        self, incident: Incident, stated: Callable[[str, Finding | None], Fact | None], catalog: Catalog
    ) -> None:
        self._incident, self._stated, self._catalog = incident, stated, catalog

    def awaited(self, anchor: Finding | None) -> tuple[int, ...]:
        """Return the ranks that others waited for: named by a message, in another collective, behind, or silent."""
        named = self._stated("collective.missing_ranks", anchor)
        return (named and _numbers(str(named.value))) or self._unnamed

    @cached_property
    def mismatched(self) -> tuple[int, ...]:
        """Return the ranks whose collective differs from most others' in name, size or place."""
        for ranks in self._calls:
            usual = _usual(ranks)
            other = tuple(sorted(rank for rank, call in ranks.items() if call != usual))
            if other and len(ranks) > 2 * len(other):
                return other
        return self._shifted or _elsewhere(self._incident)

    @cached_property
    def _shifted(self) -> tuple[int, ...]:
        """Return the ranks that hung one collective before or after most others: they skipped or added a call."""
        first: dict[object, dict[int, tuple[int, object]]] = {}  # the first unfinished one, by group and rank
        calls = [(number, group, ranks) for (group, number), ranks in self._numbered.items() if isinstance(number, int)]
        for number, group, ranks in sorted(calls, key=lambda one: one[0], reverse=True):
            first.setdefault(group, {}).update({rank: (number, call[1]) for rank, call in ranks.items()})
        for hung in first.values():
            usual, op = _usual(hung)
            shifted = tuple(sorted(rank for rank, call in hung.items() if call[1] != op and abs(call[0] - usual) == 1))
            if shifted and len(hung) > 2 * len(shifted):
                return shifted
        return ()

    @cached_property
    def sizes_differ(self) -> bool:
        """Return whether ranks called the same collective with different sizes, although it needs equal ones."""
        differ = [
            next(iter(ranks.values()))[1]
            for ranks in self._calls
            if len({call[1] for call in ranks.values()}) == 1 and len({call[2] for call in ranks.values()} - {None}) > 1
        ]
        table = self._catalog.table(SAME_SIZES) if differ else None
        return table is not None and any(row["collective"] in differ for row in table.rows)

    @cached_property
    def _unnamed(self) -> tuple[int, ...]:
        return self.mismatched or _behind(self._incident) or silent_ranks(self._incident, self._world)

    @property
    def _world(self) -> int:
        """Return how many ranks the job has as far as the log says; 0 if it doesn't."""
        stated = self._stated("job.world_size", None)
        return stated.value if stated and isinstance(stated.value, int) else 0

    @property
    def _calls(self) -> Iterable[dict[int, tuple[object, ...]]]:
        return self._numbered.values()

    @cached_property
    def _numbered(self) -> dict[tuple[object, object], dict[int, tuple[object, ...]]]:
        """Return what each rank called under each number of a collective in its group."""
        calls: dict[tuple[object, object], dict[int, tuple[object, ...]]] = {}
        for finding in (*self._incident.failing, *self._incident.context):
            if finding.rank is not None and (call := _call(finding)):
                calls.setdefault((finding.captures.get("group"), call[0]), {}).setdefault(finding.rank, call)
        return calls


def silent_ranks(incident: Incident, world: int = 0) -> tuple[int, ...]:
    """Return the ranks without a failure while most others report one; none unless they are a small part.

    Of the `world` ranks of the job, some may have printed nothing at all. If failures were only counted, a rank that
    seems silent may have reported one.
    """
    if any(f.rank is not None and f.signature.id in incident.only_counted for f in incident.failing):
        return ()
    failed, stopped = launcher_summary(incident)
    failed_ranks = ranks_with_failures(incident)
    # For ranks whose log is incomplete, the launcher's summary counts.
    failed_ranks = failed_ranks | (failed & incident.incomplete_ranks) if failed_ranks else failed
    seen = failed_ranks | {f.rank for f in incident.context if f.rank is not None}
    for ending in incident.ends:
        seen |= {record.prefix.rank for record in ending.records if record.prefix.rank is not None}
    if not failed_ranks:
        return ()
    if 0 < world <= 2 * len(failed_ranks | stopped):
        seen |= {world - 1}
    if max(seen) >= 2 * (len(failed_ranks | stopped) + 1):
        return ()  # also protects from a huge number that is not a rank
    missing = set(range(max(seen | stopped) + 1)) - failed_ranks
    # The launcher also stops a rank that hangs, but not one that exited earlier.
    left = missing - stopped
    failed_ranks, missing = (failed_ranks | stopped, left) if left else (failed_ranks, missing)
    # A log that ends in silence counts more than a missing log.
    missing = missing - incident.incomplete_ranks or missing
    # Of two ranks, the one without a failure is meant.
    pair = len(failed_ranks) == len(missing) == 1 and (missing <= seen or world == 2)
    return tuple(sorted(missing)) if missing and (pair or 2 * len(missing) <= len(failed_ranks)) else ()


def launcher_summary(incident: Incident) -> tuple[set[int], set[int]]:
    """Return the ranks that failed, and those that the launcher stopped, according to its summary."""
    failed: set[int] = set()
    stopped: set[int] = set()
    for finding in incident.failing:
        slot = finding.signature.facts.get("process.signal")
        if slot is None:
            continue
        # Text before the first rank field, then each rank and its entry.
        parts = re.split(_RANK_FIELD, finding.record.text)
        for rank, entry in zip(parts[1::2], parts[2::2], strict=True):
            (stopped if re.search(_SIGTERM, entry) else failed).add(int(rank))
        if len(parts) == 1 and finding.rank is not None and finding.captures.get(slot) == SIGTERM:
            stopped.add(finding.rank)
    return failed, stopped


def ranks_with_failures(incident: Incident) -> set[int]:
    """Return the ranks that report a failure themselves; a launcher's report does not count."""
    return {f.rank for f in incident.failing if f.rank is not None and not f.signature.ends_run}


def _usual(by_rank: dict[int, T]) -> T:
    """Return the value of most ranks, or the first of several equally frequent ones; `by_rank` must not be empty."""
    return Counter(by_rank.values()).most_common(1)[0][0]


def _elsewhere(incident: Incident) -> tuple[int, ...]:
    """Return the ranks that timed out elsewhere in the script than where most others timed out or lost a peer."""
    places: dict[int, tuple[object, ...]] = {}
    timed_out: set[int] = set()
    for finding in incident.failing:
        raised, rank = finding.record.raised, finding.rank
        late = bool(finding.signature.facts.keys() & _TIMED_OUT)
        if rank is None or raised is None or not (late or finding.signature.kind == "consequence"):
            continue
        own = [frame for frame in raised.frames if not is_library(frame.file)]
        if own:
            places.setdefault(rank, (own[-1].file, own[-1].line))
            timed_out |= {rank} if late else set()
    if not places:
        return ()
    usual = _usual(places)
    other = tuple(sorted(rank for rank, place in places.items() if place != usual and rank in timed_out))
    return other if len(places) > 2 * len(other) else ()


def _call(finding: Finding) -> tuple[object, ...] | None:
    """Return number, name and sizes of the collective that a message mentions."""
    facts, captures = finding.signature.facts, finding.captures
    number, op = (captures.get(facts.get(name, "")) for name in ("collective.seq", "collective.op"))
    if number is None or op is None:
        return None
    return number, op, captures.get(facts.get("collective.numel_in", "")), captures.get("sizes")


def _behind(incident: Incident) -> tuple[int, ...]:
    """Return the ranks that had queued fewer collectives of a process group than most others."""
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
    """Return the ranks in a list as programs print it: "2", "2, 5", "[2, 5]"; none if there is anything else."""
    if not re.fullmatch(r"[\s\[\](){},;\d]*(?:and[\s\d,]*)?", text):
        return ()
    return tuple(sorted({int(number) for number in re.findall(r"\d{1,6}", text)}))
