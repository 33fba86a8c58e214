"""What a program knows of its own run when it fails: registered by whoever watches it, asked by whoever explains."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logsense.model.live import Live
from logsense.util.noun import NamedTuple

MOST_LINKS = 32
_ATTACHED, _REPORTED = "_logsense_witness", "_logsense_told"


class MonitorNotes(NamedTuple):
    """`lines` gives what a log of the run would have said, `look` what the machine showed meanwhile."""

    lines: Callable[[], str]
    look: Callable[[], Live]


_present: list[MonitorNotes] = []
# The causes that were explained to the user in this program.
reported_causes: set[str] = set()


def register(witness: MonitorNotes) -> None:
    """From now on, `witness` saw whatever fails."""
    _present.append(witness)


def unregister(witness: MonitorNotes) -> None:
    """What fails from now on was not seen by `witness`."""
    if witness in _present:
        _present.remove(witness)


def attach(error: BaseException, witness: MonitorNotes) -> None:
    """`witness` saw this failure, even when it is explained after it has left."""
    _set(error, _ATTACHED, witness)


def notes_of(error: BaseException) -> MonitorNotes | None:
    """Who saw `error`, or an exception that it was raised from; None if nobody did."""
    for one in _chain(error):
        found = getattr(one, _ATTACHED, None)
        if isinstance(found, MonitorNotes):
            return found
    return _present[-1] if _present else None


def is_first_report(error: BaseException) -> bool:
    """Whether nobody has explained `error` to the user yet; from now on somebody has."""
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
    except Exception:  # noqa: BLE001 - a class of somebody's own may forbid it in any way
        return
