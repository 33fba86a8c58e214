"""Compare times as loggers print them: the seconds between two, and whether a sequence decreases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from logsense.util.regexes import Lazy

_CLOCK = Lazy(r"(\d\d):(\d\d):(\d\d(?:[.,]\d+)?)(?:\s*([AP]M))?")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_DATES = {
    "iso": Lazy(r"(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)(?!\d)"),
    "american": Lazy(r"(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{4}|\d\d)\b"),
    "named": Lazy(rf"\b(?P<month>{_MONTHS.replace(' ', '|')})\s+(?P<day>\d{{1,2}})\b(?:.*\s(?P<year>\d{{4}})\b)?"),
    "glog": Lazy(r"^(?P<year>\d{4})?(?P<month>\d\d)(?P<day>\d\d) "),  # https://github.com/google/glog
    "short": Lazy(r"^(?P<month>\d\d)[-/](?P<day>\d\d) (?P<year>)"),
}
_AMBIGUOUS = Lazy(r"^\d\d-\d\d-\d\d ")  # any part may be the year
_PLAIN = Lazy(r"^\s*\d+\.\d+$")  # seconds since the epoch, or since the kernel started
DAY_S = 86_400


def clock_of(time: str) -> str:
    """Return the format of `time`; only times of the same format can be compared."""
    if _PLAIN.match(time):
        return "seconds"
    for name, date in _DATES.items():
        if date.search(time):
            return name
    return "clock" if _CLOCK.search(time) and not _AMBIGUOUS.match(time) else ""


def seconds_between(begin: str, end: str) -> float | None:
    """Return the seconds from `begin` to `end`, two times as printed; None if they can't be compared.

    Without a date, an `end` that seems earlier is on the next day; without a year, in the next year.
    """
    kind = clock_of(begin)
    if not kind or kind != clock_of(end):
        return None
    first, last = _seconds(begin, kind), _seconds(end, kind)
    if first is None or last is None:
        return None
    if last < first and kind == "clock":
        last += DAY_S
    elif last < first and kind in ("named", "glog", "short"):
        last += 366 * DAY_S  # the missing year counts as 2000, a leap year
        if last - first > 90 * DAY_S:
            return None
    return last - first if last >= first else None


def moment_of_day(time: str) -> float | None:
    """Return the seconds since midnight; None if no time of day is printed."""
    return _seconds(time, "clock")


def moment_in_year(time: str) -> float | None:
    """Return a sort key for dated times of any format, in seconds of a year, as many lack one; None without a date."""
    kind = clock_of(time)
    if kind in ("", "clock", "seconds"):
        return None
    clock = _seconds(time, "clock")
    if clock is None:
        return None
    from datetime import date

    try:
        _, month, day = _date(time, kind)
        return date(2000, month, day).toordinal() * DAY_S + clock
    except ValueError:
        return None


def iso_time(time: str, changed_s: float) -> str | None:
    """Return a printed time in ISO 8601, to the second and without a zone; None if invalid or far from `changed_s`.

    Missing parts of its date come from `changed_s`, the last change of the log in seconds since the epoch.
    """
    from datetime import date
    from time import localtime, strftime

    kind, changed = clock_of(time), localtime(changed_s)
    of_day = _seconds(time, "seconds" if kind == "seconds" else "clock")
    if of_day is None or not kind:
        return None
    if kind == "seconds":
        near = abs(of_day - changed_s) < 366 * DAY_S
        return strftime("%Y-%m-%dT%H:%M:%S", localtime(of_day)) if near else None
    try:
        year, month, day = (changed.tm_year, changed.tm_mon, changed.tm_mday) if kind == "clock" else _date(time, kind)
        if year == 2000:  # no year is printed
            year = changed.tm_year - ((month, day) > (changed.tm_mon, changed.tm_mday))
            year = year if (month, day) != (2, 29) else year - year % 4
        shown = date(year, month, day).isoformat()
    except ValueError:
        return None
    seconds = int(of_day)
    return f"{shown}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _seconds(time: str, kind: str) -> float | None:
    if kind == "seconds":
        return float(time)
    clock = _CLOCK.search(time)
    if not clock:
        return None
    hours, minutes, seconds, half = clock.groups()
    of_day = int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    if half:
        of_day += 12 * 3600 * ((half == "PM") - (hours == "12"))
    if kind == "clock":
        return of_day
    from datetime import date

    try:
        return date(*_date(time, kind)).toordinal() * DAY_S + of_day
    except ValueError:
        return None


def _date(time: str, kind: str) -> tuple[int, int, int]:
    """Return year, month and day; the year 2000, a leap year, if none is printed."""
    found = _DATES[kind].search(time)
    assert found, "clock_of has recognized the format"
    year, month = int(found["year"] or 2000), found["month"]
    number = int(month) if month.isdecimal() else _MONTHS.split(" ").index(month) + 1
    return year if year > 99 else year + 2000, number, int(found["day"])


_MOSTLY = 0.9  # of all changes


def is_decreasing(times: Sequence[str], least: int) -> bool:
    """Return whether at least `least` of `times` are earlier than the one before, and hardly any is later."""
    falling = rising = 0
    for above, time in pairwise(times):
        falling += is_before(time, above)
        rising += is_before(above, time)
    return falling >= least and falling >= _MOSTLY * (falling + rising)


def is_before(time: str, other: str) -> bool:
    """Return whether `time` is earlier than `other`; False if unknown."""
    if time[4:5] == "-" == other[4:5] and time[10:11] == other[10:11]:
        return time < other
    first, second = _moment(time), _moment(other)
    return first is not None and second is not None and first[0] == second[0] and first[1] < second[1]


def _moment(time: str) -> tuple[str, float] | None:
    """Return the format of a time, and a sort key among times of that format."""
    kind = clock_of(time)
    moment = float(time) if kind == "seconds" else moment_of_day(time) if kind == "clock" else moment_in_year(time)
    return None if moment is None else (kind, moment)
