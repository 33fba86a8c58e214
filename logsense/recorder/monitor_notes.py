"""Notes of monitors within a program on its run: monitors register them, the explanation of a failure reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logsense.model.live import Live
from logsense.util.noun import NamedTuple

MOST_LINKS = 32
_ATTACHED, _REPORTED = "_logsense_notes", "_logsense_reported"


class MonitorNotes(NamedTuple):
    """`lines` returns what a log of the run would have said, `look` what the machine showed meanwhile."""

    lines: Callable[[], str]
    look: Callable[[], Live]


_present: list[MonitorNotes] = []
# Causes already explained to the user in this program.
reported_causes: set[str] = set()


def register(notes: MonitorNotes) -> None:
    """Use `notes` for failures from now on."""
    _present.append(notes)


def unregister(notes: MonitorNotes) -> None:
    """Stop using `notes`."""
    if notes in _present:
        _present.remove(notes)


def attach(error: BaseException, notes: MonitorNotes) -> None:
    """Use `notes` for `error`, even after `unregister`."""
    _set(error, _ATTACHED, notes)


def notes_of(error: BaseException) -> MonitorNotes | None:
    """Return the notes for `error`, or for an exception that it was raised from; None without notes."""
    for one in _chain(error):
        found = getattr(one, _ATTACHED, None)
        if isinstance(found, MonitorNotes):
            return found
    return _present[-1] if _present else None


def is_first_report(error: BaseException) -> bool:
    """Return whether `error` has not been explained to the user, and mark it as explained."""
    if any(getattr(one, _REPORTED, False) for one in _chain(error)):
        return False
    _set(error, _REPORTED, True)
    return True


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    for _ in range(MOST_LINKS):
        if one is None:
            return
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _set(error: BaseException, name: str, value: object) -> None:
    try:
        setattr(error, name, value)
    except Exception:  # noqa: BLE001 - user-defined classes may forbid it
        return
