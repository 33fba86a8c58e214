"""Fixes that several rules share: taken in with the conditions of each rule."""

from __future__ import annotations

from logsense.catalog.decode import Problems
from logsense.catalog.rules import with_shared

SHARED: dict[str, object] = {"reset": [{"do": "Look.", "risk": "none"}, {"do": "Reset.", "risk": "reboots", "when": [{"found": "a.b"}]}]}  # fmt: skip


def test_shared_fixes_take_their_place() -> None:
    problems = Problems()
    data = {"fixes": [{"do": "First."}, {"shared": "reset", "when": [{"found": "c.d"}]}, {"do": "Last."}]}
    assert with_shared(data, SHARED, problems) == {
        "fixes": [
            {"do": "First."},
            {"do": "Look.", "risk": "none", "when": [{"found": "c.d"}]},
            {"do": "Reset.", "risk": "reboots", "when": [{"found": "a.b"}, {"found": "c.d"}]},
            {"do": "Last."},
        ]
    }
    assert not problems.found


def test_a_file_that_is_not_there_is_told() -> None:
    problems = Problems()
    assert with_shared({"fixes": [{"shared": "rest", "wen": []}]}, SHARED, problems) == {"fixes": []}
    assert [path for path, _ in problems.found] == [("fixes", 0, "wen"), ("fixes", 0, "shared")]


def test_what_is_no_list_stays() -> None:
    unlike: list[object] = [{"fixes": "none"}, {}, [], None]
    for data in unlike:
        assert with_shared(data, SHARED, Problems()) == data
