"""Select the renderer of a report by format. Renderers are imported on demand, to keep start-up short."""

from __future__ import annotations

from logsense.model.report import Report
from logsense.render.layout import Look

MODULES = ("json", "markdown", "github", "html", "sarif", "junit")  # each has a function render_FORMAT


def render(report: Report, format: str, look: Look) -> str:
    """Return `report` as `format`: text, json, markdown, github, html, prompt, sarif or junit.

    `look` applies to text. The result ends with a newline.
    """
    if format == "prompt":
        from logsense.model.bundle import Bundle
        from logsense.render.bundle import render_prompt

        return render_prompt(Bundle(report))
    if format in MODULES:
        from importlib import import_module

        rendered: str = getattr(import_module(f"logsense.render.{format}"), f"render_{format}")(report)
        return rendered
    from logsense.render.text import render_text

    return render_text(report, look)
