"""Shows the line of a log that proves a sentence."""

from __future__ import annotations

from logsense.model.finding import Finding
from logsense.model.record import TRACEBACK
from logsense.model.report import Evidence

LONGEST_LINE = 2000  # characters
MESSAGE = 60  # characters of a message that tell which one it is


def proof(says: str, finding: Finding) -> Evidence:
    """Return the sentence with the log line that proves it."""
    place, number, line = finding.at, finding.line, finding.text
    raised = finding.record.raised
    # The last line of a traceback says what happened, not the first; of one that is cut, the exception before it.
    known = next((one.type for one in (raised, *reversed(raised.chained)) if one.type), "") if raised else ""
    if raised and known and line.lstrip().startswith(TRACEBACK):
        last = finding.record.text.rfind(f"\n{known}") + 1
        if last > place or (last and not raised.type):
            place, number, line = last, finding.record.line_at(last), finding.record.text_at(last)
    elif line.lstrip().startswith('File "') and (last := _behind_frames(finding.record.text, place)):
        place, number, line = last, finding.record.line_at(last), finding.record.text_at(last)
    begin = finding.record.text.rfind("\n", 0, place) + 1 + len(line) - len(line.lstrip())
    at = max(place - begin, 0)
    shown, number = finding.record.place(number)
    text, at = _around(line.strip(), at)
    return Evidence(
        says=says,
        source=shown,
        line=number,
        text=text,
        rank=finding.rank,
        host=finding.host,
        time=finding.record.prefix.time,
        focus=(at, at + MESSAGE),
    )


def _around(line: str, at: int) -> tuple[str, int]:
    """Return `line`, or of a longer one the part around its message at `at`, and where the message is in it."""
    start = at - LONGEST_LINE // 4 if at + MESSAGE > LONGEST_LINE else 0
    left_out = "…" if start else ""
    return left_out + line[start : start + LONGEST_LINE], at - start + len(left_out)


def _behind_frames(text: str, place: int) -> int:
    """Return where the exception begins that ends the frames at `place`; 0 if the text ends with them."""
    while (place := text.find("\n", place) + 1) and text[place : place + 1] in (" ", "\t", "\n"):
        pass
    return place
