"""The public JSON contract."""

from __future__ import annotations

import json

import pytest

from logsense.model.report import Evidence, FactValue, Report
from logsense.render.json import render_json
from tests.render.drafts import COMPLETED, FAILED, UNEXPLAINED, UNKNOWN

KEYS = [
    "schema",
    "outcome",
    "diagnoses",
    "progress",
    "rerun",
    "culprits",
    "consequences",
    "attempts",
    "ranks",
    "logs",
    "noise",
    "without_gpu",
    "facts",
]
KEYS += ["machine", "unexplained", "near", "masked", "empty", "new"]


@pytest.mark.parametrize("report", [FAILED, UNEXPLAINED, COMPLETED, UNKNOWN])
def test_keys_are_the_contract(report: Report) -> None:
    data = json.loads(render_json(report))
    assert list(data) == KEYS
    assert data["schema"] == "logsense.report/1"


def test_a_failure() -> None:
    data = json.loads(render_json(FAILED))
    first = data["diagnoses"][0]
    assert list(first) == (
        ["cause", "confidence", "title", "explanation", "evidence", "against", "fixes", "decide", "references"]
    )
    assert list(first["evidence"][0]) == ["says", "source", "line", "text", "rank", "host", "time"]
    assert first["evidence"][0]["rank"] == 3
    assert data["progress"]["step"] == 4120
    assert data["progress"]["checkpoint"]["path"] == "/ckpt/4000"
    assert first["fixes"][1] == {
        "do": "Use a smaller batch and accumulate gradients.", "run": None, "why": None, "risk": "changes-training",
    }  # fmt: skip
    assert list(first["decide"][0]) == ["do", "run"]
    assert data["rerun"] == {
        "verdict": "fix-first",
        "why": "the same step asks for the same block again",
        "exclude": [],
    }
    assert data["culprits"] == [{"rank": 3, "host": "node7", "source": "train.log", "line": 1204}]
    assert data["consequences"] == [
        {"says": "The NCCL watchdog timed out", "ranks": [0, 1, 2], "seen": 3, "after": None},
        {"says": "torchrun stopped the other ranks", "ranks": [], "seen": 1, "after": "The NCCL watchdog timed out"},
    ]
    assert data["noise"][0]["count"] == 2
    assert data["facts"]["oom.requested"] == {"value": 2147483648, "source": "train.log", "line": 1204}


def test_not_understood() -> None:
    data = json.loads(render_json(UNEXPLAINED))
    assert data["diagnoses"] == []
    assert data["rerun"] is None
    assert list(data["unexplained"][0]) == ["says", "source", "line", "text", "rank", "host", "time"]
    assert data["near"] == [{"signature": "python.out-of-band", "title": "The frob left its band", "distance": 0.18}]


def test_only_json_that_all_can_read() -> None:
    odd = Report(
        "failed",
        facts={"a": FactValue(float("nan")), "b": FactValue((1, float("-inf"))), "c": FactValue(object)},
        unexplained=(Evidence("\udcff \x1b[31m \u202e \x9b", "é.log"),),
    )
    text = render_json(odd)
    assert text.isascii()
    assert not set(text) & {"\x1b", "\x9b"}
    data = json.loads(text, parse_constant=pytest.fail)
    assert data["facts"]["a"]["value"] == "nan"
    assert data["unexplained"][0]["says"] == "\ufffd \x1b[31m \u202e \x9b"
