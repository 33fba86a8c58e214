"""A failed run in a few lines, for a message that is sent to somebody who waits for it."""

from __future__ import annotations

import re

from logsense.render.clean import one_line
from logsense.render.words import certainty, rerun_in_words, run_progress_in_words
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsense.model.report import Report

MOST_TITLE, MOST_LINE, MOST_LINES = 120, 400, 2
# What chat programs call everybody by; a log must not be able to.
_CALLS = re.compile(r"@(?=(?:everyone|here|channel|all)\b)|<(?=[!@])", re.IGNORECASE)
_NOTHING = "\u200b"


class Notice(NamedTuple):
    """A message: its title, and its text of a few lines. Neither holds markup."""

    title: str
    body: str


def notice_of(report: Report, job: str = "") -> Notice:
    """The message on a failed run; `job` says which one it was. `report` has to be redacted already."""
    first = report.diagnoses[0] if report.diagnoses else None
    title = first.title if first else "for a reason that is not known here"
    lines = [line for line in (_line(one) for one in _lines(report, job)) if line]
    return Notice(_harmless(_cut(f"Run failed: {one_line(title)}", MOST_TITLE)), "\n".join(lines))


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
    yield "No cause is known."
    yield run_progress_in_words(report)
    yield from [one.text for one in report.unexplained if one.text][:MOST_LINES]


def _line(text: str) -> str:
    return _harmless(_cut(one_line(text), MOST_LINE))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _harmless(text: str) -> str:
    return _CALLS.sub(lambda found: found[0] + _NOTHING, text)
