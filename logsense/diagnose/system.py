"""On what kind of system and accelerator a run died, and in which language, as paths and messages of its log show."""

from __future__ import annotations

from logsense.diagnose.searcher import times_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from logsense.model.catalog import Catalog
    from logsense.model.scan import Incident
    from logsense.model.system import System

LONGEST, MOST = 4000, 100  # characters of a record, records: so many are looked at
LATEST = 20  # records at the end of a source


def shown_by(incident: Incident, catalog: Catalog, kind: str) -> System | None:
    """What of this kind (logsense/model/system.py) the log shows; None for the usual one and where nothing is known."""
    from itertools import islice

    text = "\n".join(islice(dict.fromkeys(_texts(incident)), MOST))
    printed = {finding.signature.id for finding in (*incident.failing, *incident.context)}
    systems = [system for system in catalog.systems().values() if system.kind == kind]

    def seen(system: System) -> int:
        named = len(printed & catalog.expand(system.found)) if system.found else 0
        return named + sum(times_in(text, sign, timed=system.timed) for sign in system.signs)

    certain = _first((seen(system), system) for system in systems if system.certain)
    if certain[0]:
        return certain[1]
    best, system = _first((seen(system), system) for system in systems if not system.certain and not system.usual)
    return system if best and best > sum(seen(system) for system in systems if system.usual) else None


def _first(counted: Iterable[tuple[int, System]]) -> tuple[int, System | None]:
    """The one with the highest count."""
    return max(counted, key=lambda pair: pair[0], default=(0, None))


def _texts(incident: Incident) -> Iterator[str]:
    for finding in (*incident.failing, *incident.context):
        yield finding.record.text[:LONGEST]
    for ending in incident.endings:
        for record in ending.records[-LATEST:]:
            yield record.text[:LONGEST]
