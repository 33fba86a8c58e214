"""Add to an incident how its process ended."""

from __future__ import annotations

from logsense.incident.alarms import with_alarms
from logsense.incident.beside import place_of, places_beside
from logsense.incident.ledger import is_uncaught
from logsense.incident.outcome import outcome_of
from logsense.incident.signs import Signs
from logsense.model.live import Ended
from logsense.model.reading import Incident

BY_SIGNAL = 128  # a shell's status of a command that a signal ended, and more


def as_ended(incident: Incident, ended: Ended | None, signs: Signs) -> Incident:
    """Return `incident` with how its process ended.

    A process that ended with 0 had outlasted what failed beside it. One that ended with another status did not outlast
    its last uncaught exception, whatever was printed later, unless that looks like an error.
    """
    if ended is None:
        return incident
    if ended.status == 0 and not ended.failed and not ended.by_user and incident.failing:
        beside = places_beside((*incident.failing, *incident.context))
        if all(place_of(one) in beside for one in incident.failing):
            survived = (*incident.survived, *incident.failing)
            return incident._replace(outcome="completed", failing=(), survived=survived)
    if 0 < (ended.status or 0) < BY_SIGNAL and not ended.signal and not ended.by_user and not incident.failing:
        incident = _with_last_exception(incident, signs)
    return incident._replace(outcome=outcome_of(incident.outcome, ended))


def _with_last_exception(incident: Incident, signs: Signs) -> Incident:
    uncaught = [one for one in incident.survived if is_uncaught(one.record)]
    if not uncaught or with_alarms(incident, signs).ends_in_alarm:
        return incident
    last = max(uncaught, key=incident.order).record.key
    failing = tuple(one for one in incident.survived if one.record.key == last)
    return incident._replace(failing=failing, survived=tuple(one for one in incident.survived if one not in failing))
