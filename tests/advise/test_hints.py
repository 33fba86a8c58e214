"""A hint explains a failure that comes later, but not one that comes when the run had long gone on."""

from __future__ import annotations

import json

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.live import Ended
from logsense.model.report import Report
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import FILES, signature

RULE = {
    "cause": "hardware.lost",
    "title": "The driver is old",
    "arguments": [{"id": "old", "when": [{"found": "demo.old"}], "strength": "shows", "says": "old"}],
    "explain": "e",
    "fixes": [{"do": "f", "risk": "none"}],
    "references": ["https://example.org"],
    "examples": [{"name": "x", "log": "driver 1.0 is old", "expect": "listed"}],
}
OLD = "driver 470.1 is old\n"
STEPS = "".join(f"step {number} loss 0.5\n" for number in range(1, 5))
BARS = "".join(f"loop {number}/90 [0:10<0:20\n" for number in range(1, 90))
ODD = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nOddError: strange\n'


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    odd = signature("odd", "failure", "OddError: strange")
    return write_catalog({**FILES, "rules/hardware/lost.yaml": json.dumps(RULE), "corpus/demo/odd.yaml": odd})


def told(catalog: Catalog, log: str, ended: Ended | None = None) -> Report:
    return explain_text(log.encode(), catalog, ended=ended)


@pytest.mark.parametrize(
    ("log", "sure"),
    [
        (OLD + ODD, True),
        (STEPS + OLD + ODD, True),
        (OLD + "step 1 loss 0.5\n" + ODD, True),
        (OLD + BARS[:200] + ODD, True),  # files that are loaded, perhaps
        (OLD + STEPS + ODD, False),
        (OLD + BARS + ODD, False),
        (OLD + STEPS + OLD + ODD, True),
    ],
)
def test_a_hint_that_a_run_went_on_after_explains_little(log: str, sure: bool, catalog: Catalog) -> None:
    report = told(catalog, log)
    assert report.outcome == "failed"
    assert [one.cause for one in report.diagnoses] == ["hardware.lost"]
    assert (report.diagnoses[0].confidence > 0.8) == sure


@pytest.mark.parametrize(("log", "sure"), [(OLD, True), (OLD + STEPS, False)])
def test_a_hint_before_an_end_that_nothing_explains(log: str, sure: bool, catalog: Catalog) -> None:
    assert (told(catalog, log, Ended(1)).diagnoses[0].confidence > 0.8) == sure


def test_a_packages_old_conflict_does_not_explain_what_fails_after_training(built_in_catalog: Catalog) -> None:
    steps = "".join(f"Epoch 1/2 step {step} loss {2 / step:.4f}\n" for step in range(1, 30))
    report = told(
        built_in_catalog,
        "pip's note: torch 2.3.1 has requirement filelock<3, but you have filelock 3.4.\n" + steps + ODD,
    )
    assert report.diagnoses[0].cause == "code.python-exception"
