"""The page of a survey: in a real browser, where one is installed, and its pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.model.survey import JobRow, Week
from logsense.render.layout import Look
from logsense.render.survey.chart import MOST_WEEKS, sparkline, weeks_chart, without_gaps
from logsense.render.survey.formats import render_survey
from logsense.survey.tables import survey_of
from tests.browser import BROWSER, rendered
from tests.render.test_browser import NASTY

ROWS = [
    JobRow(f"{NASTY}{n}", "failed", "storage.disk-full", NASTY, 0.9, n, NASTY, NASTY, f"2026-0{n + 1}-05T10:00:00",
           says=NASTY, source=NASTY, line=1, text=NASTY, problem=NASTY, image=NASTY)
    for n in range(3)
]  # fmt: skip


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_only_the_pages_own_script_runs(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    written = render_survey(survey_of(ROWS, {"storage.disk-full": NASTY}), "html", Look())
    assert isinstance(written, str)
    page.write_text(written, encoding="utf-8")
    seen = rendered(page, tmp_path / "profile", budget_ms=2000)
    assert "<title>3 jobs: 3 failed" in seen
    assert seen.count('class="find"') == 1  # made by the page's script
    assert "<img" not in seen


def test_weeks_without_a_job_have_their_place() -> None:
    weeks = [Week("2025-W51", 4, 2, None, (("a", 2),)), Week("2026-W02", 2, 1, None, (("b", 1),))]
    filled = without_gaps(weeks)
    assert [week.week for week in filled] == ["2025-W51", "2025-W52", "2026-W01", "2026-W02"]
    assert [week.jobs for week in filled] == [4, 0, 0, 2]
    assert sparkline("a", weeks).count("<rect") == 1
    assert without_gaps([]) == []
    assert len(without_gaps([Week("1999-W01", 1, 0, None, ()), *weeks])) == MOST_WEEKS


def test_failures_are_stacked_up_to_all_jobs() -> None:
    causes = tuple((f"cause-{number}", 7 - number) for number in range(7))
    picture = weeks_chart([Week("2026-W02", 40, 28, None, causes), Week("2026-W03", 0, 0, None, ())])
    assert "2026-W02: 28 of 40 failed" in picture
    assert picture.count("<rect") == 1 + 5 + 1 + 1  # all jobs, five named causes, the rest; the empty week
    assert "3 other causes" in picture
