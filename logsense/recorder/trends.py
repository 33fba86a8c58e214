"""Finds in values over time what explains a failure: a steady climb, a sudden rise, a long rest."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from logsense.util.noun import NamedTuple

Points = Sequence[tuple[float, float]]

# A climb is told from less than so many samples or so little time only by chance.
LEAST_SAMPLES = 20
LEAST_TIME_S = 30.0
BUCKETS = 60
STEPS_UP = 0.7
# A program that has loaded its model climbs no more; one that leaks still does in the last third of the time.
STILL_CLIMBING = 0.12
LEAST_RISE = 0.04


class Climb(NamedTuple):
    """A steady climb: by `rise` over `for_s` seconds, `per_minute` on average."""

    rise: float
    for_s: float
    per_minute: float


def climb(points: Points, limit: float | None) -> Climb | None:
    """The steady climb that `points` (seconds, value) end in; None where they rest, fall, or jump.

    The lowest value of each part of the time counts, so that what is taken and given back in every step is no climb.
    `limit` is what the values can't exceed: a climb by less than a few percent of it is no cause of anything.
    """
    if len(points) < LEAST_SAMPLES or points[-1][0] - points[0][0] < LEAST_TIME_S:
        return None
    floors = _floors(points, BUCKETS)
    begin = _begin(floors)
    floors = floors[begin:]
    if len(floors) < LEAST_SAMPLES // 2:
        return None
    (start, low), (end, high) = floors[0], floors[-1]
    rise, time_s = high - low, end - start
    if time_s < LEAST_TIME_S or rise < LEAST_RISE * (limit or high):
        return None
    steps = [after - before for (_, before), (_, after) in itertools.pairwise(floors)]
    late = floors[-1][1] - floors[len(floors) * 2 // 3][1]
    if sum(step > 0 for step in steps) < STEPS_UP * len(steps) or late < STILL_CLIMBING * rise:
        return None
    if max(steps) > rise / 2:
        return None
    return Climb(rise, time_s, 60.0 * rise / time_s)


def sudden_rise(points: Points, within_s: float) -> tuple[float, float] | None:
    """The rise of the values in the last `within_s` seconds, and how long before the end the largest step of it was."""
    if len(points) < 2:
        return None
    end = points[-1][0]
    recent = [point for point in points if end - point[0] <= within_s]
    older = [point for point in points if end - point[0] > within_s]
    if older:
        recent.insert(0, older[-1])
    if len(recent) < 2:
        return None
    steps = [(after[1] - before[1], end - after[0]) for before, after in itertools.pairwise(recent)]
    rise = recent[-1][1] - recent[0][1]
    return (rise, max(steps)[1]) if rise > 0 else None


def rest_s(points: Points, below: float) -> float:
    """For how many seconds until the end all values lay below `below`."""
    since = points[-1][0] if points else 0.0
    for at, value in reversed(points):
        if value >= below:
            break
        since = at
    return points[-1][0] - since if points else 0.0


def _floors(points: Points, buckets: int) -> list[tuple[float, float]]:
    start, end = points[0][0], points[-1][0]
    count = min(buckets, max(len(points) // 2, 1))
    lowest: dict[int, tuple[float, float]] = {}
    for at, value in points:
        number = min(int((at - start) / ((end - start) or 1.0) * count), count - 1)
        if number not in lowest or value < lowest[number][1]:
            lowest[number] = (at, value)
    return [lowest[number] for number in sorted(lowest)]


def _begin(floors: Points) -> int:
    """Behind the last long flat part or fall: where the climb that the values end in begins."""
    peak = max(value for _, value in floors)
    flat = (peak - min(value for _, value in floors)) * 0.005
    run = 0
    for number in range(len(floors) - 1, 0, -1):
        step = floors[number][1] - floors[number - 1][1]
        run = run + 1 if step <= flat else 0
        if run >= max(4, len(floors) // 8):
            return number + run - 1
    return 0
