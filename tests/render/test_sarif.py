"""SARIF, held to the schema of the standard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.model.report import Evidence, Report
from logsense.render.sarif import render_sarif
from tests.render.drafts import COMPLETED, FAILED, FRAGMENTED, UNEXPLAINED, UNKNOWN

# https://github.com/oasis-tcs/sarif-spec/blob/main/sarif-2.1/schema/sarif-schema-2.1.0.json without its descriptions
SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def _run(report: Report) -> dict[str, Any]:
    text = render_sarif(report)
    log = json.loads(text)
    assert text.isascii()
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    [run] = log["runs"]
    return run  # type: ignore[no-any-return]


def test_a_failure() -> None:
    run = _run(FAILED)
    first, second = run["results"]
    assert (first["ruleId"], first["level"], first["rank"]) == ("gpu-memory.fragmentation", "error", 81.0)
    assert first["message"]["text"].startswith("GPU 3's memory is fragmented (81 % sure). GPU 3 had 12.30 GiB")
    assert "After the fix" in first["message"]["text"]
    [place] = first["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "train.log"
    assert place["physicalLocation"]["region"]["startLine"] == 1204
    assert place["physicalLocation"]["region"]["snippet"]["text"].startswith(
        "torch.OutOfMemoryError: CUDA out of memory."
    )
    assert (second["ruleId"], second["level"]) == ("gpu-memory.capacity", "note")
    whole = {"physicalLocation": {"artifactLocation": {"uri": "train.log"}, "region": {"startLine": 1}}}
    assert second["locations"] == [whole]  # viewers show nothing that has no place
    rule = run["tool"]["driver"]["rules"][0]
    assert rule["id"] == run["results"][0]["ruleId"]
    assert rule["helpUri"] == "https://docs.pytorch.org/docs/stable/notes/cuda.html"
    assert "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" in rule["help"]["text"]
    assert "```sh\nexport PYTORCH_CUDA_ALLOC_CONF" in rule["help"]["markdown"]
    assert run["properties"] == {"outcome": "failed", "verdict": "fix-first"}


def test_others() -> None:
    [unknown] = _run(UNEXPLAINED)["results"]
    assert unknown["ruleId"] == "logsense.unknown-failure"
    assert "FrobnicationError: the frob is out of band" in unknown["message"]["text"]
    for report in (COMPLETED, UNKNOWN):
        assert _run(report)["results"] == []


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("logs/a b.log", "logs/a%20b.log"),
        ("/var/log/x.log", "file:///var/log/x.log"),
        ("runs.zip:a/0.log", "runs.zip%3Aa/0.log"),
    ],
)
def test_addresses(source: str, uri: str) -> None:
    proof = Evidence("x", source, 3, "text")
    [result] = _run(Report("failed", (FRAGMENTED._replace(evidence=(proof,)),)))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@given(st.text(max_size=50), st.text(max_size=50))
def test_any_text(source: str, text: str) -> None:
    proof = Evidence(text, source, 1, text)
    _run(Report("failed", (FRAGMENTED._replace(title=text, explanation=text, evidence=(proof,)),)))
