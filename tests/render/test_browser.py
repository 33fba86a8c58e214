"""The page in a real browser, where one is installed: its own script runs, and nothing that a log says does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from logsense.model.report import Attempt, Evidence, Fix, Mark, RankRow, Report
from logsense.render.html import render_html
from tests.browser import BROWSER, rendered
from tests.render.drafts import FRAGMENTED

pytestmark = pytest.mark.browser

NASTY = "</pre></style><script>document.title='it ran'</script><img src=x onerror=\"document.title='it ran'\">"


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_only_the_pages_own_script_runs(tmp_path: Path) -> None:
    proof = Evidence(NASTY, NASTY, 1, NASTY, 1, NASTY)
    report = Report(
        "failed",
        (
            FRAGMENTED._replace(
                title="ours", explanation=NASTY, evidence=(proof,), fixes=(Fix("do it", "echo 1"), Fix(NASTY, NASTY))
            ),
        ),
        attempts=(Attempt(NASTY, NASTY),),
        ranks=tuple(
            RankRow(rank, NASTY, rank == 1, (Mark("failure", NASTY, 1.0 * rank, NASTY, 1),)) for rank in range(40)
        ),
    )
    page = tmp_path / "page.html"
    page.write_text(render_html(report), encoding="utf-8")
    seen = rendered(page, tmp_path / "profile", budget_ms=2000)
    assert re.findall("<title>(.*?)</title>", seen)[0] == "ours"
    first = report.diagnoses[0]
    commands = sum(bool(fix.run) for fix in first.fixes) + sum(bool(check.run) for check in first.decide)
    assert seen.count('class="copy"') == commands >= 2
    assert seen.count("<img") == 0
    assert seen.count("<script") == 1
