"""What counts as a climb, a sudden rise, a rest."""

from __future__ import annotations

import math

import pytest

from logsense.recorder.trends import climb, idle_s, sudden_rise

GIB = float(1 << 30)


def _leak(minutes: int, per_minute: float, start: float = 10 * GIB) -> list[tuple[float, float]]:
    return [(float(s), start + per_minute * s / 60) for s in range(0, 60 * minutes, 5)]


def test_a_leak_climbs() -> None:
    found = climb(_leak(40, 0.4 * GIB), 80 * GIB)
    assert found
    assert found.per_minute == pytest.approx(0.4 * GIB, rel=0.05)
    assert found.for_s == pytest.approx(40 * 60, rel=0.05)


def test_a_leak_under_a_sawtooth_climbs() -> None:
    points = [(at, value + (3 * GIB if (at // 5) % 2 else 0.0)) for at, value in _leak(40, 0.4 * GIB)]
    found = climb(points, 80 * GIB)
    assert found
    assert found.per_minute == pytest.approx(0.4 * GIB, rel=0.1)


def test_a_leak_after_a_long_flat_part_counts_from_where_it_begins() -> None:
    flat = [(float(s), 10 * GIB) for s in range(0, 1800, 5)]
    points = flat + [(1800 + at, value) for at, value in _leak(30, 0.5 * GIB)]
    found = climb(points, 80 * GIB)
    assert found
    assert found.for_s == pytest.approx(1800, rel=0.15)


@pytest.mark.parametrize(
    "points",
    [
        pytest.param([], id="nothing"),
        pytest.param([(0.0, 1.0), (60.0, 2 * GIB)], id="two samples"),
        pytest.param([(float(s), 70 * GIB) for s in range(600)], id="full but level"),
        pytest.param([(float(s), min(s, 60) * GIB) for s in range(600)], id="loads a model, then rests"),
        pytest.param([(float(s), 20 * GIB + GIB * math.sin(s / 7)) for s in range(600)], id="swings"),
        pytest.param([(float(s), 20 * GIB + (30 * GIB if s > 550 else 0)) for s in range(600)], id="jumps once"),
        pytest.param([(float(s), 60 * GIB - 0.05 * GIB * s) for s in range(600)], id="falls"),
        pytest.param([(float(s), 20 * GIB + 1e5 * s) for s in range(600)], id="climbs by less than matters"),
    ],
)
def test_no_climb(points: list[tuple[float, float]]) -> None:
    assert climb(points, 80 * GIB) is None


def test_a_sudden_rise_tells_when_it_came() -> None:
    points = [(float(s), 31 * GIB if s >= 290 else 0.0) for s in range(301)]
    assert sudden_rise(points, 60) == (31 * GIB, 10.0)


def test_what_rose_long_ago_is_not_sudden() -> None:
    points = [(float(s), 31 * GIB if s >= 100 else 0.0) for s in range(301)]
    assert sudden_rise(points, 60) is None
    assert sudden_rise(points[:1], 60) is None


def test_rest() -> None:
    points = [(float(s), 0.9 if s < 100 else 0.0) for s in range(301)]
    assert idle_s(points, 0.02) == 200.0
    assert idle_s(points[:50], 0.02) == 0.0
    assert idle_s([], 0.02) == 0.0
