"""Render a report as JUnit XML for CI servers: the run is one test, which passed or failed.

https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from logsense.model.report import Report
from logsense.render.clean import clean, one_line
from logsense.render.layout import Look
from logsense.render.text import render_text
from logsense.render.words import file_and_line, headline_in_words, inputs_in_words, sure_in_words, unknown_in_words

# XML 1.0 can't hold these even escaped: https://www.w3.org/TR/xml/#charsets
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(report: Report) -> str:
    """Return `report` as a test suite with one test, which fails if the run failed."""
    failed = report.outcome == "failed"
    after_s = report.progress.after_s if report.progress and report.progress.after_s else 0.0
    counts = f'tests="1" failures="{int(failed)}" errors="0" skipped="0" time="{after_s:.3f}"'
    name = report.inputs[0] if len(report.inputs) == 1 else "training run"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="logsense" {counts}>',
        f'  <testsuite name="logsense" {counts}>',
        f'    <testcase classname="logsense" name={_quoted(name)} time="{after_s:.3f}"{_file(report)}>',
        *_case(report),
        "    </testcase>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(report: Report) -> Iterator[str]:
    text = escape(_safe(render_text(report, Look())))
    if report.outcome != "failed":
        yield f"      <system-out>{escape(_safe(inputs_in_words(report)))}\n{text}</system-out>"
        return
    first = report.diagnoses[0] if report.diagnoses else None
    kind = first.cause if first else "unknown"
    title = f"{headline_in_words(report)} ({sure_in_words(first.confidence)})" if first else unknown_in_words(report)
    yield f"      <failure type={_quoted(kind)} message={_quoted(title)}>{text}</failure>"


def _file(report: Report) -> str:
    """Return the attributes with the place of the first evidence, which some servers link to."""
    proofs = (*(report.diagnoses[0].evidence if report.diagnoses else ()), *report.unexplained)
    first = next((one for one in proofs if one.source and one.line is not None), None)
    if first is None:
        return ""
    file, line = file_and_line(first.source or "", first.line or 1)
    return f' file={_quoted(file)} line="{line}"'


def _quoted(text: str) -> str:
    return quoteattr(_safe(one_line(text)))


def _safe(text: str) -> str:
    return _NO_XML.sub("�", clean(text))
