"""The picture of a job of several ranks, and the table that says the same."""

from __future__ import annotations

import re

import pytest

from logsense.model.report import Mark, RankRow
from logsense.render.html import render_html
from logsense.render.timeline import PICTURE_HEIGHT, timeline
from tests.render.drafts import FAILED


def row(rank: int, at_s: float | None = 0.0, *marks: Mark, fault: bool = False, host: str | None = None) -> RankRow:
    return RankRow(rank, host, fault, (Mark("progress", "step 40", at_s, f"rank_{rank}.log", 7), *marks))


def late(at_s: float | None) -> Mark:
    return Mark("consequence", "the collective ran out of time", at_s, "rank_0.log", 9)


def test_one_rank_has_no_picture() -> None:
    assert "Rank by rank" not in render_html(FAILED)


def test_ranks_that_did_the_same_are_one_line() -> None:
    rows = [row(rank, 0.0, late(600.0), host=f"node{rank // 2}") for rank in range(6)]
    page = timeline((*rows[:4], row(4, 0.0, fault=True, host="node2"), rows[5]))
    lines = re.findall(r"<tr><th scope=row>(.*?)</tr>", page)
    assert [re.sub("<.*?>", " ", line).split() for line in lines] == [
        ["at", "fault:", "rank", "4", "on", "node2", "step", "40", "→", "then", "nothing"],
        [
            "ranks",
            "0–3,",
            "5",
            "on",
            "node0,",
            "node1,",
            "node2",
            "step",
            "40",
            "→",
            "the",
            "collective",
            "ran",
            "out",
            "of",
            "time",
            "(after",
            "10",
            "min)",
        ],
    ]
    assert page.count("<title>") == 6


@pytest.mark.parametrize("count", [2, 30, 5000])
def test_all_ranks_fit_into_the_picture(count: int) -> None:
    page = timeline([row(rank, 0.0, late(9.0), fault=rank == 1) for rank in range(count)])
    box = re.search(r'viewBox="0 0 (\d+) ([\d.]+)"', page)
    assert box
    assert float(box[2]) <= PICTURE_HEIGHT
    for x, y, width, height in re.findall(
        r"<rect class=\w+ x=([\d.]+) y=([\d.]+) width=([\d.]+) height=([\d.]+)", page
    ):
        assert 0 <= float(x) <= float(x) + float(width) <= float(box[1])
        assert 0 <= float(y) <= float(box[2])
        assert float(height) >= 0
    assert len(page) < 1000 * count


def test_without_times_the_order_is_shown() -> None:
    page = timeline((row(0, None, late(None)), row(1, None)))
    assert "the logs have no timestamps" in page
    assert "after" not in page
