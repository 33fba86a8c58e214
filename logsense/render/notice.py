"""Summarize a failed run in a few lines, for a notification."""

from __future__ import annotations

import re

from logsense.model.report import Report
from logsense.render.blocks import Headline, Paragraph, Proof, Step
from logsense.render.clean import one_line
from logsense.render.layout import cut_end
from logsense.render.whole import brief_blocks
from logsense.util.noun import NamedTuple

MOST_TITLE, MOST_LINE = 120, 400
# Mentions that notify everybody in a chat; log text must not trigger them.
_MENTION = re.compile(r"@(?=(?:everyone|here|channel|all)\b)|<(?=[!@])", re.IGNORECASE)
_ZERO_WIDTH_SPACE = "\u200b"


class Notice(NamedTuple):
    """A notification: a title and a few lines of text, both without markup."""

    title: str
    body: str


def notice_of(report: Report, job: str = "") -> Notice:
    """Return the notification for a failed run; `job` is the job's name. `report` must be redacted."""
    top, *blocks = brief_blocks(report, fixes=1)
    assert isinstance(top, Headline)
    status = " · ".join(part for part in (top.sure, top.status, top.cause) if part)
    lines = [line for line in map(_line, (job, status, *(_words(one) for one in blocks))) if line]
    failed = "Run failed, perhaps" if top.kind == "guess" and top.sure else "Run failed"
    return Notice(_without_mentions(cut_end(f"{failed}: {one_line(top.title)}", MOST_TITLE)), "\n".join(lines))


def _words(one: object) -> str:
    """Return a block on one line; "" for what a notification has no room for."""
    match one:
        case Proof():
            return one.text or one.says
        case Paragraph():
            return f"{one.label}{one.text}"
        case Step():
            return f"{one.label}{one.do}" + (f"  $ {one.run}" if one.run else "")
    return ""


def _line(text: str) -> str:
    return _without_mentions(cut_end(one_line(text), MOST_LINE))


def _without_mentions(text: str) -> str:
    return _MENTION.sub(lambda found: found[0] + _ZERO_WIDTH_SPACE, text)
