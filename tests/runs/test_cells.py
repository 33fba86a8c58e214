"""Which of several failed cells of a notebook is explained."""

from __future__ import annotations

import json

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text

DEFINES = "model = load('x.pt')"


def _cell(number: int, code: str, error: str = "") -> dict[str, object]:
    kind, _, message = error.partition(": ")
    raised = {
        "output_type": "error",
        "ename": kind,
        "evalue": message,
        "traceback": [f"Traceback (most recent call last)\n{error}"],
    }
    outputs = [raised] if error else []
    return {"cell_type": "code", "execution_count": number, "source": [code], "outputs": outputs, "metadata": {}}


def _explained(*cells: dict[str, object]) -> Report:
    notebook = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return explain_text(json.dumps(notebook).encode(), load_catalog())


MISSING = "FileNotFoundError: [Errno 2] No such file or directory: 'x.pt'"


@pytest.mark.parametrize(
    ("code", "explained"),
    [
        (DEFINES, "FileNotFoundError"),  # the later cell misses what this one should have defined
        ("load('x.pt')", "NameError"),
    ],
)
def test_a_missing_name_leads_back_to_the_cell_that_defines_it(code: str, explained: str) -> None:
    report = _explained(_cell(1, code, MISSING), _cell(2, "model.fit()", "NameError: name 'model' is not defined"))
    assert explained in (report.diagnoses[0].evidence[0].text or "")
    assert [one.what for one in report.attempts] == ["cell"]


def test_one_failed_cell_has_no_others() -> None:
    assert not _explained(_cell(1, "1"), _cell(2, DEFINES, MISSING)).attempts
