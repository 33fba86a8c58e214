"""Render the check-up of a machine (`logsense doctor`) as text, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from logsense.model.checkup import Checkup
from logsense.model.report import Fix
from logsense.render.clean import one_line
from logsense.render.layout import Sheet
from logsense.render.look import Look
from logsense.render.markdown import code, prose
from logsense.render.words import risk_in_words

MARKS = {
    "ok": ("✓ ", "good"),
    "failed": ("✗ ", "bad"),
    "warned": ("! ", "risk"),
    "unknown": ("? ", "dim"),
    "skipped": ("- ", "dim"),
}
MOST_FIXES, MOST_LINES = 4, 4


def render_checkup(checkup: Checkup, format: str, look: Look) -> str:
    """Return `checkup` as `format`: "text", "markdown" or "json". `look` applies to text."""
    if format == "json":
        return _json(checkup)
    return _text(checkup, look) if format == "text" else "\n\n".join(_markdown(checkup)) + "\n"


def _text(checkup: Checkup, look: Look) -> str:
    sheet = Sheet(look)
    width = max((len(step.title) for step in checkup.steps), default=0)
    for step in checkup.steps:
        mark, style = MARKS[step.state]
        text_style = "dim" if style == "dim" else ""
        sheet.prose([(one_line(step.says), text_style)], first=(f"{mark}{step.title:<{width}}  ", style))
        shown = step.proof if step.state in ("failed", "warned") or look.verbose else ()
        for line in shown[: None if look.verbose else MOST_LINES]:
            sheet.prose([(one_line(line), "dim")], indent=width + 4)
    sheet.gap()
    failed = [step for step in checkup.steps if step.state == "failed"]
    if not failed:
        doubtful = [step for step in checkup.steps if step.state in ("warned", "unknown")]
        words = "Ready to train" if not doubtful else "Nothing is broken, but see the marks above"
        sheet.prose([(words, "bold")], first=MARKS["ok" if not doubtful else "warned"])
        return sheet.text()
    for step in failed:
        sheet.prose([(f"{step.title}: {one_line(step.says)}", "bold")], first=MARKS["failed"])
        if step.explanation:
            sheet.prose([(step.explanation, "")], indent=2)
        for number, fix in enumerate(step.fixes[:MOST_FIXES], 1):
            risk = risk_in_words(fix.risk)
            warning = f"  ({risk})" if risk else ""
            sheet.prose([(fix.do, ""), (warning, "risk")], first=(f"{number}. ", "bold"), indent=2)
            if fix.run:
                sheet.code(fix.run, indent=7)
        sheet.gap()
    good = [step.title for step in checkup.steps if step.state == "ok"]
    if good:
        sheet.prose([("Ruled out: ", "bold"), (", ".join(good), "")])
    return sheet.text()


def _markdown(checkup: Checkup) -> Iterator[str]:
    marks = {"ok": "✅", "failed": "❌", "warned": "⚠️", "unknown": "❔", "skipped": "➖"}
    yield "\n".join(f"- {marks[step.state]} **{prose(step.title)}** {prose(step.says)}" for step in checkup.steps)
    for step in checkup.steps:
        if step.state == "failed":
            yield f"## {prose(step.title)}: {prose(step.says)}"
            yield from (f"    {one_line(line)}" for line in step.proof)
            if step.explanation:
                yield prose(step.explanation)
            yield "\n".join(
                f"{number}. {prose(fix.do)}{_warning(fix)}" + (f"\n   {code(fix.run)}" if fix.run else "")
                for number, fix in enumerate(step.fixes, 1)
            )
    if checkup.good:
        yield "**Nothing is broken.**"


def _warning(fix: Fix) -> str:
    risk = risk_in_words(fix.risk)
    return f" *({risk})*" if risk else ""


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
