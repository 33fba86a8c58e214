"""Summarize a failed run in a few lines, for a notification."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logsense.model.report import Report
from logsense.render.clean import one_line
from logsense.render.words import certainty, rerun_in_words, run_progress_in_words
from logsense.util.noun import NamedTuple

MOST_TITLE, MOST_LINE, MOST_LINES = 120, 400, 2
# Mentions that notify everybody in a chat; log text must not trigger them.
_MENTION = re.compile(r"@(?=(?:everyone|here|channel|all)\b)|<(?=[!@])", re.IGNORECASE)
_ZERO_WIDTH_SPACE = "\u200b"


class Notice(NamedTuple):
    """A notification: a title and a few lines of text, both without markup."""

    title: str
    body: str


def notice_of(report: Report, job: str = "") -> Notice:
    """Return the notification for a failed run; `job` is the job's name. `report` must be redacted."""
    first = report.diagnoses[0] if report.diagnoses else None
    title = first.title if first else "an error that is new to logsense"
    lines = [line for line in (_line(one) for one in _lines(report, job)) if line]
    return Notice(_without_mentions(_cut(f"Run failed: {one_line(title)}", MOST_TITLE)), "\n".join(lines))


def _lines(report: Report, job: str) -> Iterator[str]:
    if job:
        yield job
    if report.diagnoses:
        first = report.diagnoses[0]
        yield f"Cause: {first.cause} ({certainty(first.confidence)})"
        yield run_progress_in_words(report)
        yield from [one.text or one.says for one in first.evidence if one.text][:1]
        if first.fixes:
            fix = first.fixes[0]
            yield f"Fix: {fix.do}" + (f"  $ {fix.run}" if fix.run else "")
        if report.rerun:
            yield f"Run again: {rerun_in_words(report.rerun)}"
        return
    yield "The cause is unknown."
    yield run_progress_in_words(report)
    yield from [one.text for one in report.unexplained if one.text][:MOST_LINES]


def _line(text: str) -> str:
    return _without_mentions(_cut(one_line(text), MOST_LINE))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _without_mentions(text: str) -> str:
    return _MENTION.sub(lambda found: found[0] + _ZERO_WIDTH_SPACE, text)
