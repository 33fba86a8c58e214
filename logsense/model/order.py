"""Whether times as printed fall rather than rise: logs that are exported newest first."""

from __future__ import annotations

from itertools import pairwise

from logsense.model.moments import clock_of, moment_in_year, moment_of_day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOSTLY = 0.9  # of all changes


def fall(times: Sequence[str], least: int) -> bool:
    """Whether at least `least` of `times` are earlier than the one in front, and hardly any is later."""
    falling = rising = 0
    for above, time in pairwise(times):
        falling += is_before(time, above)
        rising += is_before(above, time)
    return falling >= least and falling >= _MOSTLY * (falling + rising)


def is_before(time: str, other: str) -> bool:
    """Whether `time` is earlier than `other`; False where nobody can tell."""
    if time[4:5] == "-" == other[4:5] and time[10:11] == other[10:11]:
        return time < other
    first, second = _moment(time), _moment(other)
    return first is not None and second is not None and first[0] == second[0] and first[1] < second[1]


def _moment(time: str) -> tuple[str, float] | None:
    """The kind of a time, and what it is ordered by among others of that kind."""
    kind = clock_of(time)
    moment = float(time) if kind == "seconds" else moment_of_day(time) if kind == "clock" else moment_in_year(time)
    return None if moment is None else (kind, moment)
