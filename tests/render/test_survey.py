"""A survey in every format, with hostile text in it."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from logsense.model.survey import JobRow, Survey
from logsense.render.layout import Look
from logsense.render.survey.formats import cell, render_answer, render_survey
from logsense.survey.tables import survey_of

EVIL = "=HYPERLINK(1)\x1b]0;x\x07<script>alert(1)</script>\u202e\n"
SURVEY = survey_of(
    [
        JobRow("/l/a.log", "failed", "storage.disk-full", "Disk", 0.98, 0, EVIL, failed_at="2026-01-05T10:00:00",
               lost_s=90.0, source="/l/a.log", line=3, says="it is full", text=EVIL),
        JobRow("/l/b.log", "failed", "storage.disk-full", "Disk", 0.98, -1, EVIL, failed_at="2026-01-12T10:00:00",
               world_size=64, lost_s=3600.0, gpu_hours_lost=64.0),
        JobRow("/l/c.log", "completed"),
        JobRow("/l/d.log", "unreadable", problem=EVIL),
    ],
    {"storage.disk-full": "A disk is full"},
)  # fmt: skip


def rendered(survey: Survey, form: str, look: Look) -> str:
    text = render_survey(survey, form, look)
    assert isinstance(text, str)
    return text


def test_text() -> None:
    text = rendered(SURVEY, "text", Look(width=100))
    assert text.splitlines()[-1] == "4 jobs: 2 failed, 1 completed, 1 unreadable; 64.0 GPU hours lost (known for 1)"
    assert "Jobs in /l/, latest failures first" in text
    assert "90 s" in text
    assert "64.0 GPU h" in text
    assert "2026-W02" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert rendered(SURVEY, "text", Look(width=40, unicode=False)).isascii()
    assert "c.log" not in text
    assert "c.log" in rendered(SURVEY, "text", Look(width=100, verbose=True))
    assert rendered(survey_of([], {}), "text", Look()) == "0 jobs: 0 failed\n"


def test_csv() -> None:
    text = rendered(SURVEY, "csv", Look())
    table = list(csv.DictReader(io.StringIO(text)))
    assert list(table[0]) == list(JobRow._fields)
    assert table[1]["rank"] == "-1"
    assert table[0]["host"].startswith("'=HYPERLINK")
    assert table[2]["cause"] == ""
    assert len(text.splitlines()) == 5


@given(st.text())
def test_no_cell_is_a_formula(text: str) -> None:
    shown = str(cell(text))
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert "\n" not in shown


def test_json() -> None:
    text = rendered(SURVEY, "json", Look())
    data = json.loads(text)
    assert text.isascii()
    assert data["schema"] == "logsense.survey/1"
    assert [job["job"] for job in data["jobs"]] == ["/l/a.log", "/l/b.log", "/l/c.log", "/l/d.log"]
    assert data["weeks"][0]["causes"] == {"storage.disk-full": 1}
    assert data["causes"][0]["title"] == "A disk is full"
    assert data["offenders"][0]["jobs"] == 2


def test_html() -> None:
    page = rendered(SURVEY, "html", Look())
    assert "<script>alert" not in page
    assert "default-src 'none'" in page
    assert "&lt;script&gt;" in page
    assert "2026-W02" in page
    assert "A disk is full" in page
    assert page.count("<svg") == 2  # the weeks, and those of the cause
    assert rendered(survey_of([], {}), "html", Look()).endswith("</html>\n")


def test_answers() -> None:
    columns, rows = ["cause", "n"], [("=x", 3), (None, 1)]
    assert render_answer(columns, rows, "csv", Look()) == "cause,n\n'=x,3\n,1\n"
    assert json.loads(render_answer(columns, rows, "json", Look())) == [
        {"cause": "=x", "n": 3},
        {"cause": None, "n": 1},
    ]
    assert "=x" in render_answer(columns, rows, "text", Look())
    assert render_answer(["n"], [], "text", Look()).split() == ["n", "─"]


def test_a_narrow_terminal_keeps_the_names_of_jobs_and_causes() -> None:
    rows = [JobRow(f"/logs/llama/pretraining-{n}.log", "failed", "storage.disk-full", host="node-1") for n in range(9)]
    text = rendered(survey_of(rows, {}), "text", Look(width=44))
    assert "\n pretraining-0.log   storage.disk-full\n" in text
    assert "storage.disk-full" in text
    assert max(len(line) for line in text.splitlines()) <= 44


def test_a_file_name_that_all_jobs_share_is_said_once_and_no_date_is_cut() -> None:
    long = "an-experiment-with-a-rather-long-name"
    jobs = [
        JobRow(f"/l/{long}-{n}/train.log", "failed", "host-memory.oom-killed", "RAM", 0.9, 1, "node01",
               failed_at="2026-01-05T10:00:00")
        for n in range(3)
    ]  # fmt: skip
    text = rendered(survey_of(jobs, {}), "text", Look(width=80))
    assert "Jobs in /l/*/train.log\n" in text  # all at the same time
    assert text.count("  2026-01-05\n") >= 3
    assert max(map(len, text.splitlines())) <= 80
