"""Separates what the machine's own log says of the job from what it says of its neighbors.

A line counts for the job only if a process, a control group or a GPU that it names is the job's. Nothing here knows a
message: what a line names stands in slots of the names that `places` knows, and in `group`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from logsense.facts.rank_places import address, place_of
from logsense.model.finding import Finding
from logsense.model.live import Live, Own
from logsense.model.reading import FAILING, Incident, Reading, SourceEnd
from logsense.model.report import Noise
from logsense.util.noun import NamedTuple
from logsense.util.times import moment_in_year

# Clocks that are farther apart than this are set to different zones, and tell nothing.
ZONES_S = 900.0
CLOCK_S = 2.0
LEAST_JOB_ID = 3  # digits


class Named(NamedTuple):
    """What a line names: a process, a control group, a GPU; None where it names none."""

    pid: int | None = None
    group: str | None = None
    pci: str | None = None


def with_kernel_log(incident: Incident, log: Reading | None, live: Live | None) -> tuple[Incident, Sequence[Finding]]:
    """Return `incident` with what the kernel's `log` says of this job, after what its own log says, and what it says of
    others."""
    if not (log and live and incident.lines):
        return incident, ()
    failed = [finding for finding in log.findings if finding.signature.kind in FAILING]
    found, others = owned(failed, incident, live.own)
    if not found:
        return incident, others
    counts = dict(incident.counts)
    for finding in found:
        counts[finding.signature.id] = counts.get(finding.signature.id, 0) + 1
    incident = incident._replace(
        failing=(*incident.failing, *found),
        machine_log=log.source,
        sources=(*incident.sources, log.source),
        ends=(*incident.ends, SourceEnd()),
        starts=(*incident.starts, None),
        counts=counts,
    )
    return incident, others


def owned(found: Sequence[Finding], incident: Incident, own: Own) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Separate `found`, the failures in the machine's log in the order of time: those about the job, then all others.

    The job's are what `own` holds and what its log names. Of a message of several lines, those that name nobody are
    about whom its next line names that names somebody.
    """
    job = _Job(incident, own)
    ours: list[Finding] = []
    others: list[Finding] = []
    waiting: list[Finding] = []
    for finding in found:
        named = names_in(finding)
        if named == Named():
            waiting.append(finding)
            continue
        kept = ours if job.has(named) and not job.began_after(finding) else others
        kept += [one for one in waiting if one.signature.id == finding.signature.id]
        others += [one for one in waiting if one.signature.id != finding.signature.id]
        waiting = []
        kept.append(finding)
    return tuple(ours), (*others, *waiting)


def names_in(finding: Finding) -> Named:
    """Return what the line of `finding` names."""
    place, group = place_of(finding), finding.captures.get("group")
    return Named(place.pid, group if isinstance(group, str) else None, place.pci)


def meanwhile(others: Sequence[Finding]) -> tuple[Noise, ...]:
    """Return at most one remark on what happened to others: on the last line that names them."""
    last = next((one for one in reversed(others) if names_in(one) != Named()), None)
    if last is None:
        return ()
    named = names_in(last)
    who = [
        f"PID {named.pid}" if named.pid is not None else "",
        f"in {named.group}" if named.group else "",
        named.pci or "",
    ]
    says = f"meanwhile, and nothing ties it to this job: {last.signature.title} ({', '.join(filter(None, who))})"
    return (Noise(last.signature.id, sum(one.signature.id == last.signature.id for one in others), says),)


class _Job:
    """Whose a line of the machine's log may be to be the job's."""

    def __init__(self, incident: Incident, own: Own) -> None:
        failing = (*incident.failing, *incident.survived)
        seen = [place_of(one) for one in failing]
        prefixes = [record.prefix for ending in incident.ends for record in ending.records]
        prefixes += [one.record.prefix for one in incident.context]
        pids = {place.pid for place in seen} | {prefix.pid for prefix in prefixes}
        self._pids = {*own.pids, *(pid for pid in pids if pid is not None)}
        named = [*seen, *(place_of(one) for one in incident.context)]
        self._gpus = {*filter(None, map(address, own.gpus)), *(place.pci for place in named if place.pci)}
        self._groups = own.groups
        self._ids = set(_job_ids((*failing, *incident.context)))
        self._began = [moment for time in incident.begin_times if (moment := moment_in_year(time)) is not None]

    def has(self, named: Named) -> bool:
        """Return whether anything that a line names is the job's."""
        if named.pid in self._pids or named.pci in self._gpus:
            return True
        return named.group is not None and (
            named.group in self._groups or not self._ids.isdisjoint(_numbers(named.group))
        )

    def began_after(self, finding: Finding) -> bool:
        """Return whether the job's log began clearly after the line was printed, by clocks of the same zone."""
        said = moment_in_year(finding.record.prefix.time or "")
        return said is not None and any(CLOCK_S < began - said < ZONES_S for began in self._began)


def _job_ids(found: Iterable[Finding]) -> Iterable[str]:
    """Yield the numbers that the scheduler gave the job, or a step of it (881.0), according to the log."""
    for one in found:
        for slot in ("job", "step"):
            value = str(one.captures.get(slot) or "").partition(".")[0]
            if _is_id(value):
                yield value


def _numbers(group: str) -> list[str]:
    return [one for one in re.findall(r"\d+", group) if _is_id(one)]


def _is_id(text: str) -> bool:
    return text.isdecimal() and len(text) >= LEAST_JOB_ID
