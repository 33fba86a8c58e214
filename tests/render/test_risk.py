"""What a fix may cost is said before its command, in every form; a grave command has no button that copies it."""

from __future__ import annotations

import json
from html import unescape

import pytest

from logsense.model.report import Diagnosis, Fix, Report
from logsense.render.formats import render
from logsense.render.html import render_card
from logsense.render.layout import Look

RISK, RESET, CALM = "needs an administrator, stops other people's jobs", "demo reset 0", "demo --batch 2"
REPORT = Report(
    "failed",
    (
        Diagnosis(
            "demo.fault",
            0.9,
            "The card hangs",
            "It does not answer.",
            fixes=(
                Fix("Reset the card.", RESET, risk="needs-admin,stops-others"),
                Fix("Make the batch smaller.", CALM, risk="changes-training"),
            ),
        ),
    ),
)


@pytest.mark.parametrize("format", ["text", "markdown", "github", "html", "prompt", "sarif", "card"])
def test_the_risk_comes_before_the_command(format: str) -> None:
    shown = unescape(render_card(REPORT) if format == "card" else render(REPORT, format, Look(width=120)))
    assert 0 < shown.index(RISK) < shown.index(RESET)
    assert shown.index(RESET) < shown.index("changes the training") < shown.index(CALM)


def test_json_has_the_words() -> None:
    fixes = json.loads(render(REPORT, "json", Look()))["diagnoses"][0]["fixes"]
    assert [fix["risk"] for fix in fixes] == ["needs-admin,stops-others", "changes-training"]


def test_a_grave_command_has_no_button() -> None:
    page, card = render(REPORT, "html", Look()), render_card(REPORT)
    assert f"<pre class=run>{CALM}</pre>" in page
    assert f"<pre class=run>{RESET}" not in page
    assert card.count("<button") == 1
    assert card.index(RESET) < card.index("<button")
