"""Where ranks ran, and which of them a message about a machine, a GPU or a process speaks of.

Nothing here knows a program: whatever a line or a record carries of rank, machine, process and GPU is put together,
by its prefix and by slots of these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from logsense.facts.waits import Waits
from logsense.model.finding import Finding
from logsense.model.reading import Incident
from logsense.model.record import Record
from logsense.util.noun import NamedTuple
from logsense.util.times import moment_in_year

# Slots that say where it happened; the first that has a value of the right kind counts.
_HOST = ("host", "node")
_POD = ("pod",)
_PID = ("pid", "process")
_PCI = ("pci", "gpu_pci")
_GPU = ("gpu", "local_rank")
_SLOTS = {"rank", *_HOST, *_POD, *_PID, *_PCI, *_GPU}
# Slots of a heading: what stands below it is about that machine, pod or GPU.
_HEADING = ("of_host", "of_pod", "of_pci")
# What is farther apart is no matter of seconds any more, or the clocks are of different zones.
NEAR_S = 600.0
_ADDRESS = r"(?:PCI:)?(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.[0-7])?"
_PROCESS = re.compile(r"(?<![\w.:])\d{2,9}(?![\w.:])")
_NAME = r"[A-Za-z0-9][\w.-]*"


class Place(NamedTuple):
    """Where something ran; what is not known is None. `pci` is as `address` makes it, `source` the log of the rank."""

    rank: int | None = None
    host: str | None = None
    pid: int | None = None
    pci: str | None = None
    gpu: int | None = None
    pod: str | None = None
    source: str | None = None


class Places:
    """The places of all ranks of one incident, put together when first asked for."""

    def __init__(self, incident: Incident, waits: Waits) -> None:
        self._incident, self._waits = incident, waits
        self._said: list[Place] = []
        self._ranks: dict[int, list[Place]] | None = None

    def ranks(self) -> dict[int, list[Place]]:
        """All that lines say of where each rank ran."""
        if self._ranks is None:
            self._said = [*dict.fromkeys(_said(self._incident))]
            self._ranks = {}
            for place in self._said:
                if place.rank is not None:
                    self._ranks.setdefault(place.rank, []).append(place)
        return self._ranks

    def of(self, anchor: Finding) -> Place:
        """The place that `anchor` speaks of, with the rank that ran there, where it can be told."""
        told, by = self._found(anchor)
        return told if by else told._replace(rank=None)

    def value(self, name: str, anchor: Finding) -> object | None:
        """What the fact `place.<name>` of `anchor` is; None where it is not known."""
        place, by = self._found(anchor)
        if place.rank is None:
            return getattr(place, name) if name in ("host", "gpu") else None
        if name == "by":
            return by
        if name == "awaited":
            return place.rank in self._waits.awaited(anchor)
        if name in ("last_before", "last_after"):
            away_s = self._last_word_s(place.rank, anchor)
            return None if away_s is None or (away_s > 0) != (name == "last_after") else abs(away_s)
        value: object = getattr(place, name)
        return value

    def host_of(self, rank: int) -> str | None:
        """The machine that `rank` ran on."""
        return next((place.host for place in self.ranks().get(rank, ()) if place.host), None)

    def is_of_rank(self, source: str) -> bool:
        """Whether the log at `source` was written by ranks."""
        return any(place.source == source for places in self.ranks().values() for place in places)

    def names_rank(self, command: str) -> bool:
        """Whether `command` holds the number of a process that is a rank of this job."""
        pids = {place.pid for places in self.ranks().values() for place in places}
        return any(int(number) in pids for number in _PROCESS.findall(command))

    def is_elsewhere(self, rank: int, host: str) -> bool:
        """Whether `rank` is known to have run on other machines than `host`."""
        hosts = [place.host for place in self.ranks().get(rank, ()) if place.host]
        return bool(hosts) and not any(_same_host(host, one) for one in hosts)

    def _found(self, anchor: Finding) -> tuple[Place, str]:
        """The place that `anchor` speaks of, and by what its rank was found: rank, pid, pci, gpu or host; "" if not."""
        told = place_of(anchor)
        if told.rank is not None:
            return self._filled(told), "rank"
        told = self._under_heading(anchor, told)
        ranks = self.ranks()
        if told.pod and not told.host:
            told = told._replace(host=next((one.host for one in self._said if one.pod == told.pod and one.host), None))
        here = {
            rank: places
            for rank, places in ranks.items()
            if told.host is None or any(_same_host(told.host, place.host) for place in places)
        }
        for by in ("pod", "pid", "pci", "gpu"):
            wanted = getattr(told, by)
            if wanted is None:
                continue
            found = (
                [rank for rank, places in ranks.items() if any(_is_of_pod(one.source, wanted) for one in places)]
                if by == "pod"
                else [rank for rank, places in here.items() if wanted in {getattr(one, by) for one in places}]
            )
            if len(found) == 1:
                return self._filled(told._replace(rank=found[0])), by
        awaited = self._waits.awaited(anchor) if told.host else ()
        found = [rank for rank in awaited if rank in here] or [*here]
        if told.host and len(found) == 1:
            return self._filled(told._replace(rank=found[0])), "host"
        return told, ""

    def _last_word_s(self, rank: int, anchor: Finding) -> float | None:
        """Seconds from `anchor` to the last line of `rank`, below 0 where that came before; None where not near."""
        said = moment_in_year(anchor.record.prefix.time or "")
        last = None
        for ending in self._incident.ends:
            for record in ending.records:
                if record.prefix.rank == rank and record.prefix.time and record.source != anchor.record.source:
                    last = moment_in_year(record.prefix.time) or last
        if said is None or last is None or abs(last - said) > NEAR_S:
            return None
        return last - said

    def _filled(self, told: Place) -> Place:
        """`told`, whose rank is known, with what other lines say of that rank."""
        assert told.rank is not None
        for place in self.ranks().get(told.rank, ()):
            told = Place(
                told.rank,
                told.host or place.host,
                place.pid if told.pid is None else told.pid,
                told.pci or place.pci,
                place.gpu if told.gpu is None else told.gpu,
                told.pod or place.pod,
                told.source,
            )
        return told

    def _under_heading(self, anchor: Finding, told: Place) -> Place:
        """`told` with what the headings in front of `anchor` say, in a listing with a part for each GPU or pod."""
        above: dict[str, str] = {}
        for finding in reversed(self._incident.context):
            here = finding.record.source == anchor.record.source
            if here and (finding.offset, finding.at) <= (anchor.offset, anchor.at):
                named = {slot: name for slot in _HEADING if (name := _text(finding, (slot,)))}
                if "of_pod" in named and "of_pod" in above:
                    break
                above = named | above
        return told._replace(
            host=told.host or above.get("of_host"),
            pod=told.pod or above.get("of_pod"),
            pci=told.pci or (address(above.get("of_pci", "")) if told.gpu is None else None),
        )


def place_of(finding: Finding) -> Place:
    """What the line of `finding` says of its place: by its slots, or else by its prefix."""
    if _SLOTS.isdisjoint(finding.captures):
        return _place_of_record(finding.record)
    prefix = finding.record.prefix
    host, pod = _text(finding, _HOST), _text(finding, _POD)
    pid, gpu = _number(finding, _PID), _number(finding, _GPU)
    return Place(
        finding.rank,
        host if host and re.fullmatch(_NAME, host) and re.search("[A-Za-z]", host) else prefix.host,
        prefix.pid if pid is None else pid,
        address(_text(finding, _PCI) or ""),
        prefix.local_rank if gpu is None else gpu,
        pod.rpartition("/")[2] if pod else None,
        finding.record.source,
    )


def address(text: str) -> str | None:
    """A PCI address in one spelling (0000:9b:00), from any that programs print; None where it is none.

    NCCL prints its bus id as one number: domain << 20 | bus << 12 | device << 4 | function
    (https://github.com/NVIDIA/nccl/blob/master/src/misc/utils.cc).
    """
    found = re.fullmatch(_ADDRESS, text)
    if found:
        return f"{int(found[1] or '0', 16):04x}:{int(found[2], 16):02x}:{int(found[3], 16):02x}"
    if re.fullmatch(r"[0-9a-f]{3,12}", text):
        number = int(text, 16)
        return f"{number >> 20:04x}:{number >> 12 & 0xFF:02x}:{number >> 4 & 0xFF:02x}"
    return None


def _said(incident: Incident) -> Iterator[Place]:
    found = (*incident.context, *incident.failing)
    # A rank within a group is one of the job only where the group is the whole job.
    groups = [finding for finding in found if isinstance(finding.captures.get("group_rank"), int)]
    whole = max((_number(finding, ("group_size",)) or 0 for finding in groups), default=0)
    for finding in found:
        place = place_of(finding)
        if place.rank is None and finding in groups and _number(finding, ("group_size",)) == whole:
            place = place._replace(rank=_number(finding, ("group_rank",)))
        yield place
    for ending in incident.ends:
        for finding in ending.progress:
            yield place_of(finding)
        for record in ending.records:
            yield _place_of_record(record)


def _place_of_record(record: Record) -> Place:
    prefix = record.prefix
    return Place(prefix.rank, prefix.host, prefix.pid, None, prefix.local_rank, None, record.source)


def _same_host(one: str, other: str | None) -> bool:
    """Whether two names are of one machine: either may be given with its domain."""
    return other is not None and one.partition(".")[0].lower() == other.partition(".")[0].lower()


def _is_of_pod(source: str | None, pod: str) -> bool:
    """Whether the log at `source` is called after `pod`, as those who save logs of pods call them."""
    name = (source or "").replace("\\", "/")
    return re.search(rf"(?:^|[/_]){re.escape(pod)}(?:[._/]|$)", name) is not None


def _text(finding: Finding, slots: tuple[str, ...]) -> str | None:
    return next((value for slot in slots if isinstance(value := finding.captures.get(slot), str)), None)


def _number(finding: Finding, slots: tuple[str, ...]) -> int | None:
    return next((value for slot in slots if isinstance(value := finding.captures.get(slot), int)), None)
