"""Find patterns in values over time that explain a failure: a steady climb, a sudden rise, idleness."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from logsense.util.noun import NamedTuple

Points = Sequence[tuple[float, float]]

# Fewer samples or less time do not prove a climb.
LEAST_SAMPLES = 20
LEAST_TIME_S = 30.0
BUCKETS = 60
STEPS_UP = 0.7
# A program that has loaded its model no longer climbs; one that leaks still does in the last third of the time.
STILL_CLIMBING = 0.12
LEAST_RISE = 0.04


class Climb(NamedTuple):
    """A steady climb by `rise` over `for_s` seconds, `per_minute` on average."""

    rise: float
    for_s: float
    per_minute: float


def climb(points: Points, limit: float | None) -> Climb | None:
    """Return the steady climb at the end of `points` (seconds, value); None if the values are flat, fall, or jump.

    The lowest value in each part of the time counts, so memory used and released in every step is not a climb. `limit`
    is the upper bound of the values: a climb by less than a few percent of it is irrelevant.
    """
    if len(points) < LEAST_SAMPLES or points[-1][0] - points[0][0] < LEAST_TIME_S:
        return None
    floors = extremes(points, min(BUCKETS, max(len(points) // 2, 1)), min)
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
    """Return the rise in the last `within_s` seconds, and how long before the end its largest step was."""
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


def idle_s(points: Points, below: float) -> float:
    """Return for how many seconds before the end all values were below `below`."""
    since = points[-1][0] if points else 0.0
    for at, value in reversed(points):
        if value >= below:
            break
        since = at
    return points[-1][0] - since if points else 0.0


def extremes(points: Points, parts: int, best: Callable[..., tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the point with the `best` value, max or min, in each of `parts` equal parts of the time."""
    start, end = points[0][0], points[-1][0]
    found: dict[int, tuple[float, float]] = {}
    for point in points:
        part = min(int((point[0] - start) / ((end - start) or 1.0) * parts), parts - 1)
        found[part] = best(found.get(part, point), point, key=lambda one: one[1])
    return [found[part] for part in sorted(found)]


def _begin(floors: Points) -> int:
    """Return where the final climb begins: after the last long flat part or fall."""
    peak = max(value for _, value in floors)
    flat = (peak - min(value for _, value in floors)) * 0.005
    run = 0
    for number in range(len(floors) - 1, 0, -1):
        step = floors[number][1] - floors[number - 1][1]
        run = run + 1 if step <= flat else 0
        if run >= max(4, len(floors) // 8):
            return number + run - 1
    return 0
