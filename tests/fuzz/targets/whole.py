"""The whole pipeline: from bytes to a report in every format."""

from __future__ import annotations

from functools import cache

from logsense.catalog.load import load_catalog
from logsense.model.knowledge import Catalog
from logsense.pipeline import Stream, explain_text
from logsense.render.formats import render
from logsense.render.layout import Look
from tests.fuzz.seeds import texts as seeds

__all__ = ["run", "seeds"]

FORMATS = ("text", "json", "markdown", "github", "html", "prompt", "sarif", "junit")
LOOKS = (Look(), Look(width=40, color=True, unicode=False, verbose=True))
NOT_SHOWN = {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}


@cache
def catalog() -> Catalog:
    """Return the built-in catalog."""
    return load_catalog()


def run(data: bytes) -> None:
    """Explain `data` whole and streamed, and render both reports."""
    report = explain_text(data, catalog(), name="standard input")
    stream = Stream(catalog())
    middle = len(data) // 3
    stream.feed(data[:middle])
    stream.feed(data[middle:])
    written = {name: render(report, name, LOOKS[0]) for name in FORMATS}
    assert render(stream.finish(), "json", LOOKS[0]) == written["json"], "a pipe says something else"
    assert not set(written["text"]) & NOT_SHOWN, "a control character reaches the terminal"
    render(report, "text", LOOKS[1])
