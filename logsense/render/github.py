"""Render a report as GitHub Actions workflow commands: annotations at the lines that show the failure."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

from logsense.model.report import Evidence, Report
from logsense.render.blocks import Headline, Paragraph
from logsense.render.clean import clean, one_line
from logsense.render.layout import Look
from logsense.render.screen import main_proof
from logsense.render.text import text_of
from logsense.render.whole import brief_blocks
from logsense.render.words import file_and_line


def render_github(report: Report) -> str:
    """Return `report` as workflow commands, one per line. Log text can't start or end a command."""
    return "".join(f"{line}\n" for line in _commands(report))


def _commands(report: Report) -> Iterator[str]:
    top, *blocks = brief_blocks(report)
    assert isinstance(top, Headline)
    if not report.diagnoses and report.outcome != "failed":
        yield _command("notice", top.title, top.sure.strip("()"))
        return
    proof = main_proof(report.diagnoses[0]) if report.diagnoses else next(iter(report.unexplained), None)
    title = f"{top.title} ({top.sure})" if top.sure else top.title
    body = text_of((Paragraph(top.status), *blocks) if top.status else blocks, Look())
    yield _command("error", title, dedent(body), proof)
    for other in report.diagnoses[1:]:
        yield _command("notice", f"It may also be: {one_line(other.title)}", other.explanation or other.title)


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
