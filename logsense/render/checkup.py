"""Render the check-up of a machine (`logsense doctor`) as text, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from logsense.model.checkup import Checkup
from logsense.render.blocks import Headline, Paragraph
from logsense.render.clean import one_line
from logsense.render.layout import Look, Sheet
from logsense.render.markdown import markdown_of, prose
from logsense.render.screen import step_of_fix
from logsense.render.text import text_of

MARKS = {
    "ok": ("✓ ", "good"),
    "failed": ("✗ ", "bad"),
    "warned": ("! ", "risk"),
    "unknown": ("? ", "dim"),
    "skipped": ("- ", "dim"),
}
EMOJI = {"ok": "✅", "failed": "❌", "warned": "⚠️", "unknown": "❔", "skipped": "➖"}
MOST_FIXES, MOST_LINES = 4, 4


def render_checkup(checkup: Checkup, format: str, look: Look) -> str:
    """Return `checkup` as `format`: "text", "markdown" or "json". `look` applies to text."""
    if format == "json":
        return _json(checkup)
    if format == "text":
        return f"{_steps(checkup, look)}\n{text_of(_blocks(checkup), look)}"
    lines = []
    for step in checkup.steps:
        lines.append(f"- {EMOJI[step.state]} **{prose(step.title)}** {prose(step.says)}")
        lines += [f"  - {prose(line)}" for line in step.proof if step.state in ("failed", "warned")]
    return "\n".join(lines) + f"\n\n{markdown_of(_blocks(checkup))}"


def _steps(checkup: Checkup, look: Look) -> str:
    """Return a line for each step, with the lines that prove a problem."""
    sheet = Sheet(look)
    width = max((len(step.title) for step in checkup.steps), default=0)
    for step in checkup.steps:
        mark, style = MARKS[step.state]
        text_style = "dim" if style == "dim" else ""
        sheet.prose([(one_line(step.says), text_style)], first=(f"{mark}{step.title:<{width}}  ", style))
        shown = step.proof if step.state in ("failed", "warned") or look.verbose else ()
        for line in shown[: None if look.verbose else MOST_LINES]:
            sheet.prose([(one_line(line), "dim")], indent=width + 4)
    return sheet.text()


def _blocks(checkup: Checkup) -> Iterator[object]:
    """Yield what is wrong and how to fix it, and what is ruled out; or that nothing is."""
    failed = [step for step in checkup.steps if step.state == "failed"]
    if not failed:
        doubtful = any(step.state in ("warned", "unknown") for step in checkup.steps)
        yield Headline("good", "Nothing is broken, but see the marks above" if doubtful else "Ready to train")
        return
    for step in failed:
        yield Headline("failed", f"{step.title}: {one_line(step.says)}")
        if step.explanation:
            yield Paragraph(step.explanation)
        yield from (step_of_fix(fix, f"{number}. ") for number, fix in enumerate(step.fixes[:MOST_FIXES], 1))
    if good := [step.title for step in checkup.steps if step.state == "ok"]:
        yield Paragraph(", ".join(good), "Ruled out: ")


def _json(checkup: Checkup) -> str:
    steps = [
        {
            **{name: value for name, value in step._asdict().items() if name != "log"},
            "explanation": step.explanation or None,
            "fixes": [fix._asdict() for fix in step.fixes],
        }
        for step in checkup.steps
    ]
    data = {
        "schema": "logsense.doctor/1",
        "good": checkup.good,
        "interpreter": checkup.interpreter,
        "steps": steps,
        "facts": {name: fact.value for name, fact in checkup.live.facts.items()} if checkup.live else {},
    }
    return json.dumps(data, indent=1) + "\n"
