"""JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from logsense.model.report import Evidence, Report
from logsense.render.junit import render_junit
from tests.render.drafts import COMPLETED, FAILED, FRAGMENTED, UNEXPLAINED, UNKNOWN


def _case(report: Report) -> ElementTree.Element:
    root = ElementTree.fromstring(render_junit(report))
    assert root.tag == "testsuites"
    [suite] = root
    assert suite.attrib["tests"] == "1"
    assert suite.attrib["failures"] == ("1" if report.outcome == "failed" else "0")
    [case] = suite
    return case


def test_a_failure() -> None:
    case = _case(FAILED)
    assert case.attrib == {
        "classname": "logsense", "name": "train.log", "time": "11520.000", "file": "train.log", "line": "1204",
    }  # fmt: skip
    [failure] = case
    assert failure.attrib == {
        "type": "gpu-memory.fragmentation",
        "message": "Rank 3: GPU 3's memory is fragmented (81 % sure)",
    }
    assert failure.text
    assert failure.text.startswith("✗ Rank 3: GPU 3's memory is fragmented")
    assert "1. Let PyTorch grow" in failure.text


def test_others() -> None:
    [failure] = _case(UNEXPLAINED)
    assert failure.attrib == {"type": "unknown", "message": "This failure is new to logsense"}
    for report in (COMPLETED, UNKNOWN):
        [out] = _case(report)
        assert out.tag == "system-out"


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_xml(name: str, text: str) -> None:
    proof = Evidence(text, name, 1, text)
    case = _case(Report("failed", (FRAGMENTED._replace(title=text, evidence=(proof,)),), inputs=(name,)))
    assert case[0].tag == "failure"
