"""Render a report as GitHub Actions workflow commands: annotations at the lines that show the failure."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.model.report import Diagnosis, Evidence, Report
from logsense.render.clean import clean, one_line
from logsense.render.words import (
    EMPTY,
    UNKNOWN_FAILURE,
    certainty,
    file_and_line,
    inputs_in_words,
    risk_in_words,
)


def render_github(report: Report) -> str:
    """Return `report` as workflow commands, one per line. Log text can't start or end a command."""
    return "".join(f"{line}\n" for line in _commands(report))


def _commands(report: Report) -> Iterator[str]:
    if report.diagnoses:
        first = report.diagnoses[0]
        proof = next((one for one in first.evidence if one.text), None)
        title = f"{one_line(first.title).rstrip('.')} ({certainty(first.confidence)})"
        yield _command("error", title, _message(first), proof)
        for other in report.diagnoses[1:]:
            yield _command("notice", f"It may also be: {one_line(other.title)}", other.explanation or other.title)
    elif report.outcome == "failed":
        proof = report.unexplained[0] if report.unexplained else None
        text = "\n".join(one.text or one.says for one in report.unexplained) or "no line gives a reason"
        yield _command("error", UNKNOWN_FAILURE, text, proof)
    else:
        yield _command("notice", EMPTY if report.empty else "No failure found", inputs_in_words(report))


def _message(first: Diagnosis) -> str:
    lines = [first.explanation]
    lines += [f"{one.says}: {one_line(one.text)}" if one.text else one.says for one in first.evidence]
    for number, fix in enumerate(first.fixes, 1):
        risk = risk_in_words(fix.risk)
        lines.append(f"{number}. {fix.do}" + (f" ({risk})" if risk else ""))
        if fix.run:
            lines.append(f"     {fix.run}")
    return "\n".join(lines)


def _command(kind: str, title: str, message: str, proof: Evidence | None = None) -> str:
    properties = [f"title={_property(title)}"]
    if proof and proof.source and proof.line is not None:
        file, line = file_and_line(proof.source, proof.line)
        properties += [f"file={_property(file)}", f"line={line}"]
    return f"::{kind} {','.join(properties)}::{_data(message)}"


def _data(text: str) -> str:
    return clean(text).strip("\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(one_line(text)).replace(":", "%3A").replace(",", "%2C")
