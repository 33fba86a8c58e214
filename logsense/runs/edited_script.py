"""Tells by two tracebacks that a script was started again between them: its file had been changed, or it failed while
it was loaded, though it worked before or after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logsense.model.finding import Finding
from logsense.model.record import Frame, Raised, Record
from logsense.util.noun import NamedTuple

SYNTAX = ("SyntaxError", "IndentationError", "TabError")
IMPORTS = ("<frozen importlib", "<frozen zipimport", "<frozen runpy")
UNLOADED = (*SYNTAX, "ModuleNotFoundError", "ImportError")
_PLACE = re.compile(r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)[^\n]*\n[ \t]+(?P<source>\S[^\n]*)', re.MULTILINE)


class Died(NamedTuple):
    """A process that ended with an exception, and where the last message of its end stands."""

    record: Record
    raised: Raised
    end: int


def edited_runs(failing: Sequence[Finding]) -> Iterator[int]:
    """Yield the offsets after which `failing` shows that a script was started again."""
    before: Died | None = None
    for finding in failing:
        record = finding.record
        raised = record.raised
        if before and record.offset < before.end:
            continue
        if raised and raised.type and raised.frames:
            if before and _is_of_same(before.record, record) and _is_edited_run(before, record, raised):
                yield before.end
            before = Died(record, raised, record.end)
        elif before:
            before = before._replace(end=record.end)


def _is_of_same(before: Record, after: Record) -> bool:
    """Return whether nothing speaks for two processes of one job."""
    return before.prefix.rank == after.prefix.rank and before.prefix.host == after.prefix.host


def _is_edited_run(before: Died, after: Record, raised: Raised) -> bool:
    """Return whether the second traceback is of another run of the script, which was edited or loaded again."""
    broken = before.raised.frames[-1].file if before.raised.type in SYNTAX and raised.type not in SYNTAX else "<"
    if broken[0] != "<" and any(frame.file == broken for frame in raised.frames):
        # A file that can't be parsed has no tracebacks.
        return True
    if _is_edited(_sources(before.record), _sources(after)) or _is_past(before.raised, raised):
        return True
    first, again = before.raised.frames[0], raised.frames[0]
    same = first.file == again.file and first.function == again.function == "<module>"
    return (
        same
        and raised.type != before.raised.type
        and all(_loads(frame) for frame in raised.frames)
        and not all(_loads(frame) for frame in before.raised.frames)
    )


def _is_past(before: Raised, raised: Raised) -> bool:
    """Return whether a script that ended at a failed import now gets further."""
    if before.type not in UNLOADED or not all(_loads(frame) for frame in before.frames):
        return False
    reached = {frame.file: frame.line or 0 for frame in raised.frames if frame.function == "<module>"}
    ended = ((frame.file, frame.line or 0) for frame in before.frames if frame.function == "<module>")
    return any(line < reached.get(file, 0) for file, line in ended if file[0] != "<")


def _loads(frame: Frame) -> bool:
    return not frame.function or frame.function == "<module>" or frame.file.startswith(IMPORTS)


def _is_edited(before: dict[tuple[str, str], str], after: dict[tuple[str, str], str]) -> bool:
    """Return whether two tracebacks show different text for the same line of a file."""
    return any(after.get(place, source) != source for place, source in before.items())


def _sources(record: Record) -> dict[tuple[str, str], str]:
    """Return the lines of files that a traceback shows; Python 3.13 cuts long ones short."""
    shown = {}
    for found in _PLACE.finditer(record.text):
        source = found["source"].strip()
        if found["file"][0] != "<" and not source.startswith(("File ", "[Previous line", "^", "~")):
            shown[found["file"], found["line"]] = source
    return shown
