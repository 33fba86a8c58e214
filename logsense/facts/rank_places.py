"""Determines where ranks ran, and which of them a message about a machine, a GPU or a process concerns.

It knows no program: it combines the rank, machine, process and GPU in the prefixes and slots of lines.
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

# Slots that say where it happened; the first with a value of the right type counts.
_HOST = ("host", "node")
_POD = ("pod",)
_PID = ("pid", "process")
_PCI = ("pci", "gpu_pci")
_GPU = ("gpu", "local_rank")
_SLOTS = {"rank", *_HOST, *_POD, *_PID, *_PCI, *_GPU}
# Slots of a heading, which applies to the lines below it.
_HEADING = ("of_host", "of_pod", "of_pci")
# Times further apart are unrelated, or in different time zones.
NEAR_S = 600.0
_ADDRESS = r"(?:PCI:)?(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.[0-7])?"
_PROCESS = re.compile(r"(?<![\w.:])\d{2,9}(?![\w.:])")
_NAME = r"[A-Za-z0-9][\w.-]*"


class Place(NamedTuple):
    """Where something ran; None for what is unknown. `pci` is normalized by `address`, `source` is the rank's log."""

    rank: int | None = None
    host: str | None = None
    pid: int | None = None
    pci: str | None = None
    gpu: int | None = None
    pod: str | None = None
    source: str | None = None


class Places:
    """The places of all ranks of an incident, determined on demand."""

    def __init__(self, incident: Incident, waits: Waits) -> None:
        self._incident, self._waits = incident, waits
        self._all: list[Place] = []
        self._ranks: dict[int, list[Place]] | None = None

    def ranks(self) -> dict[int, list[Place]]:
        """Return all known places of each rank."""
        if self._ranks is None:
            self._all = [*dict.fromkeys(_all_places(self._incident))]
            self._ranks = {}
            for place in self._all:
                if place.rank is not None:
                    self._ranks.setdefault(place.rank, []).append(place)
        return self._ranks

    def of(self, anchor: Finding) -> Place:
        """Return the place that `anchor` mentions, with the rank that ran there, if it is known."""
        place, by = self._found(anchor)
        return place if by else place._replace(rank=None)

    def value(self, name: str, anchor: Finding) -> object | None:
        """Return the fact `place.<name>` of `anchor`; None if it is unknown."""
        place, by = self._found(anchor)
        if place.rank is None:
            return getattr(place, name) if name in ("host", "gpu") else None
        if name == "by":
            return by
        if name == "awaited":
            return place.rank in self._waits.awaited(anchor)
        if name in ("last_before", "last_after"):
            away_s = self._last_line_s(place.rank, anchor)
            return None if away_s is None or (away_s > 0) != (name == "last_after") else abs(away_s)
        value: object = getattr(place, name)
        return value

    def host_of(self, rank: int) -> str | None:
        """Return the machine that `rank` ran on."""
        return next((place.host for place in self.ranks().get(rank, ()) if place.host), None)

    def is_of_rank(self, source: str) -> bool:
        """Return whether ranks wrote the log `source`."""
        return any(place.source == source for places in self.ranks().values() for place in places)

    def names_rank(self, command: str) -> bool:
        """Return whether `command` holds the process number of a rank of this job."""
        pids = {place.pid for places in self.ranks().values() for place in places}
        return any(int(number) in pids for number in _PROCESS.findall(command))

    def is_elsewhere(self, rank: int, host: str) -> bool:
        """Return whether `rank` is known to have run only on other machines than `host`."""
        hosts = [place.host for place in self.ranks().get(rank, ()) if place.host]
        return bool(hosts) and not any(_same_host(host, one) for one in hosts)

    def _found(self, anchor: Finding) -> tuple[Place, str]:
        """Return the place that `anchor` mentions, and what identified its rank: rank, pid, pci, gpu or host; "" if
        nothing."""
        mentioned = place_of(anchor)
        if mentioned.rank is not None:
            return self._filled(mentioned), "rank"
        mentioned = self._under_heading(anchor, mentioned)
        ranks = self.ranks()
        if mentioned.pod and not mentioned.host:
            mentioned = mentioned._replace(
                host=next((one.host for one in self._all if one.pod == mentioned.pod and one.host), None)
            )
        here = {
            rank: places
            for rank, places in ranks.items()
            if mentioned.host is None or any(_same_host(mentioned.host, place.host) for place in places)
        }
        for by in ("pod", "pid", "pci", "gpu"):
            wanted = getattr(mentioned, by)
            if wanted is None:
                continue
            found = (
                [rank for rank, places in ranks.items() if any(_is_of_pod(one.source, wanted) for one in places)]
                if by == "pod"
                else [rank for rank, places in here.items() if wanted in {getattr(one, by) for one in places}]
            )
            if len(found) == 1:
                return self._filled(mentioned._replace(rank=found[0])), by
        awaited = self._waits.awaited(anchor) if mentioned.host else ()
        found = [rank for rank in awaited if rank in here] or [*here]
        if mentioned.host and len(found) == 1:
            return self._filled(mentioned._replace(rank=found[0])), "host"
        return mentioned, ""

    def _last_line_s(self, rank: int, anchor: Finding) -> float | None:
        """Return the seconds from `anchor` to the last line of `rank`, negative if earlier; None if not near."""
        here = moment_in_year(anchor.record.prefix.time or "")
        last = None
        for ending in self._incident.ends:
            for record in ending.records:
                if record.prefix.rank == rank and record.prefix.time and record.source != anchor.record.source:
                    last = moment_in_year(record.prefix.time) or last
        if here is None or last is None or abs(last - here) > NEAR_S:
            return None
        return last - here

    def _filled(self, mentioned: Place) -> Place:
        """Return the place `mentioned`, whose rank is known, completed from other lines of that rank."""
        assert mentioned.rank is not None
        for place in self.ranks().get(mentioned.rank, ()):
            mentioned = Place(
                mentioned.rank,
                mentioned.host or place.host,
                place.pid if mentioned.pid is None else mentioned.pid,
                mentioned.pci or place.pci,
                place.gpu if mentioned.gpu is None else mentioned.gpu,
                mentioned.pod or place.pod,
                mentioned.source,
            )
        return mentioned

    def _under_heading(self, anchor: Finding, mentioned: Place) -> Place:
        """Return the place `mentioned` completed from headings above `anchor`, as in a listing of GPUs or pods."""
        above: dict[str, str] = {}
        for finding in reversed(self._incident.context):
            here = finding.record.source == anchor.record.source
            if here and (finding.offset, finding.at) <= (anchor.offset, anchor.at):
                named = {slot: name for slot in _HEADING if (name := _text(finding, (slot,)))}
                if "of_pod" in named and "of_pod" in above:
                    break
                above = named | above
        return mentioned._replace(
            host=mentioned.host or above.get("of_host"),
            pod=mentioned.pod or above.get("of_pod"),
            pci=mentioned.pci or (address(above.get("of_pci", "")) if mentioned.gpu is None else None),
        )


def place_of(finding: Finding) -> Place:
    """Return the place in the line of `finding`, from its slots or else its prefix."""
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
    """Normalize a PCI address as any program prints it (0000:9b:00); None if it is invalid.

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


def _all_places(incident: Incident) -> Iterator[Place]:
    found = (*incident.context, *incident.failing)
    # A rank in a group is a rank of the job only if the group is the whole job.
    groups = [finding for finding in found if isinstance(finding.captures.get("group_rank"), int)]
    whole = max((_number(finding, ("group_size",)) or 0 for finding in groups), default=0)
    for finding in found:
        place = place_of(finding)
        if place.rank is None and finding in groups and _number(finding, ("group_size",)) == whole:
            place = place._replace(rank=_number(finding, ("group_rank",)))
        yield place
        if place.rank is None and place.host:
            yield from (place._replace(rank=rank) for rank in _stated_ranks(finding))
    for ending in incident.ends:
        for finding in ending.progress:
            yield place_of(finding)
        for record in ending.records:
            yield _place_of_record(record)


def _stated_ranks(finding: Finding) -> range:
    """Return the ranks that a launcher's message is about: "3" or "4-7", as in srun's."""
    value = str(finding.captures.get(finding.signature.facts.get("process.rank", "")))
    found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", value)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)


def _place_of_record(record: Record) -> Place:
    prefix = record.prefix
    return Place(prefix.rank, prefix.host, prefix.pid, None, prefix.local_rank, None, record.source)


def _same_host(one: str, other: str | None) -> bool:
    """Return whether two names, with or without domain, are the same machine."""
    return other is not None and one.partition(".")[0].lower() == other.partition(".")[0].lower()


def _is_of_pod(source: str | None, pod: str) -> bool:
    """Return whether the log `source` is named after `pod`, as people name saved pod logs."""
    name = (source or "").replace("\\", "/")
    return re.search(rf"(?:^|[/_]){re.escape(pod)}(?:[._/]|$)", name) is not None


def _text(finding: Finding, slots: tuple[str, ...]) -> str | None:
    return next((value for slot in slots if isinstance(value := finding.captures.get(slot), str)), None)


def _number(finding: Finding, slots: tuple[str, ...]) -> int | None:
    return next((value for slot in slots if isinstance(value := finding.captures.get(slot), int)), None)
