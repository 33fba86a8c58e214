"""Lines that look like an error that no known message explains."""

from __future__ import annotations

from logsense.incident.ledger import with_telling_levels
from logsense.incident.signs import STATUS, Signs
from logsense.match.code import is_source
from logsense.model.finding import Finding
from logsense.model.reading import Incident, SourceEnd
from logsense.model.record import Record

_OF_PART = 40  # a text of so few records may be part of a log, in which anything may be the failure
# Levels of a logger at which a program ends; many messages of level ERROR are harmless.
FATAL = ("FATAL", "CRITICAL")
LAST = 3  # lines at the end of a log, or before a message
# In a line about a failure, the word for it is near the front; in prose it may not be.
_FRONT = 80
# Levels of a logger at which a program does not tell why it ends.
_QUIET = ("WARNING", "INFO", "DEBUG")
_TRAINED = ("loss", "epoch")  # slots of reports that a bar of files or downloads does not fill


def _ends_in_alarm(incident: Incident, signs: Signs) -> bool:
    """Return whether the last line of a log looks like an error that no known message explains."""
    harmless = harmless_records(incident, signs)
    known = harmless | {one.record.key for one in incident.context}
    for ending in incident.ends:
        said = [record for record in ending.records if record.text.strip()]
        last = said[-1:] if len(said) > _OF_PART else said[-LAST:]
        worked = _worked_until(ending, incident)
        alarming = [r for r in last if r.offset >= worked and r.prefix.level not in _QUIET and _stops(r, signs)]
        alarming += [r for r in last if r.prefix.level in FATAL or signs.says("verdict", r.text.partition("\n")[0])]
        alarming += last_error(ending, signs)
        if any(r.raised and r.key not in harmless for r in last) or any(r.key not in known for r in alarming):
            return True
    return False


def with_alarms(incident: Incident, signs: Signs) -> Incident:
    """Return `incident` with whether it has lines that look like an error that no known message explains."""
    reported = [one for one in incident.failing if signs.act(one.signature.id) == STATUS]
    return incident._replace(
        ends_in_alarm=_ends_in_alarm(incident, signs),
        alarm_before_status=any(_has_alarm_before(one, incident, signs) for one in reported),
    )


def _has_alarm_before(status: Finding, incident: Incident, signs: Signs) -> bool:
    """Return whether a line right before the bare `status` looks like an error that no known message explains."""
    ending = next((one for one in incident.ends if one.records and one.records[0].source == status.record.source), None)
    if ending is None:
        return False
    harmless = harmless_records(incident, signs)
    explained = (*incident.failing, *incident.context)
    before = [one for one in ending.records if one.offset < status.offset and one.text.strip()][-LAST:]
    worked = _worked_until(ending, incident)
    return any(
        one.offset >= worked
        and one.prefix.level not in _QUIET
        and one.key not in harmless
        and not any(finding.covers(one) for finding in explained)
        and _stops(one, signs)
        and not (is_bare(one.text, signs) or one.text.rstrip().endswith(":"))  # a report's headings say no more
        for one in before
    )


def last_error(ending: SourceEnd, signs: Signs) -> list[Record]:
    """Return the last record, if its level is for errors and it does not say that the program goes on."""
    last = [record for record in with_telling_levels(ending.records) if record.text.strip()][-1:]
    return [one for one in last if one.prefix.level == "ERROR" and not _is_calm(one.text, signs)]


def _is_calm(text: str, signs: Signs) -> bool:
    return any(signs.says(sign, text) for sign in ("goes-on", "stop"))


def harmless_records(incident: Incident, signs: Signs) -> set[tuple[str, int]]:
    """Return the source and offset of each record that is known to be harmless."""
    found = (*incident.noise, *incident.survived)
    return {one.record.key for one in found if not signs.says("verdict", one.text)}


def alarm(record: Record, signs: Signs) -> int | None:
    """Return where the record has a word for a failure, outside of source code; None if it has none.

    A line that counts what failed and what succeeded does not count, unless nothing succeeded.
    """
    text = record.text[:2000]
    for at, sign in signs.alarms(text):
        if at - text.rfind("\n", 0, at) - 1 > _FRONT or sign not in ("", "counted") or is_source(record, at):
            continue
        line = record.text_at(at)
        tally = signs.tally([line])
        if signs.all_failed(line) or (not sign and (tally is None or tally.all_failed)):
            return at
    first = text.partition("\n")[0]
    return 0 if any(signs.says(sign, first) for sign in ("hung", "status", "verdict")) else None


def _stops(record: Record, signs: Signs) -> bool:
    """Return whether the record has a word for a failure, and does not say that the program goes on or is to stop."""
    at = alarm(record, signs)
    return at is not None and not _is_calm(record.text_at(at), signs)


def is_bare(text: str, signs: Signs) -> bool:
    """Return whether a line reports a status or that the run failed, and says no more."""
    return any(signs.says(sign, text) for sign in ("status", "verdict"))


def _worked_until(ending: SourceEnd, incident: Incident) -> int:
    """Return where the last report of progress begins: what precedes it did not stop the program.

    A single report without loss and epoch may be a bar that is redrawn at the end.
    """
    reports = sorted(ending.progress, key=lambda one: one.offset)
    sure = incident.outcome == "running" or (reports and not reports[-1].captures.keys().isdisjoint(_TRAINED))
    needed = 1 if sure else 2
    return reports[-needed].offset if len(reports) >= needed else 0
