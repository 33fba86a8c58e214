"""Select the renderer of a report by format. Renderers are imported on demand, to keep start-up short."""

from __future__ import annotations

from logsense.model.report import Report
from logsense.render.layout import Look


def render(report: Report, format: str, look: Look) -> str:
    """Return `report` as `format`: text, json, markdown, github, html, prompt, sarif or junit.

    `look` applies to text. The result ends with a newline.
    """
    if format == "json":
        from logsense.render.json import render_json

        return render_json(report)
    if format == "markdown":
        from logsense.render.markdown import render_markdown

        return render_markdown(report)
    if format == "github":
        from logsense.render.github import render_github

        return render_github(report)
    if format == "html":
        from logsense.render.html import render_html

        return render_html(report)
    if format == "sarif":
        from logsense.render.sarif import render_sarif

        return render_sarif(report)
    if format == "junit":
        from logsense.render.junit import render_junit

        return render_junit(report)
    if format == "prompt":
        from logsense.model.bundle import Bundle
        from logsense.render.bundle import render_prompt

        return render_prompt(Bundle(report))
    from logsense.render.text import render_text

    return render_text(report, look)
