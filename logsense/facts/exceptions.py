"""Facts about an exception: type, message, location, and the statement that raised it."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.model.record import Frame, Record
from logsense.util.frame_files import is_own
from logsense.util.regexes import Lazy

EXCEPTION_FACTS = {
    "exception.type": "text", "exception.message": "text", "exception.file": "text", "exception.line": "int",
    "exception.function": "text", "exception.code": "text",
    "exception.own_file": "text", "exception.own_line": "int", "exception.own_code": "text",
    "exception.own_path": "text",
}  # fmt: skip
_LOOK_UPS = ("__getattr__", "__getattribute__")
LONGEST_CODE = 200
# A long command or list may precede the actual message; sentences shorten what they show.
LONGEST_MESSAGE = 2000
_MOST_LINES = 12  # of a statement, or of a notebook's context
_PLAIN = Lazy(r"[\"'], line (\d{1,18})\b( in )?")  # the fault handler prints no comma, and no statement below
_MARKS = Lazy(r"[ \t|│]*[\^~]+[ \t^~│]*$")
_ARROW = Lazy(r"[ \t|│]*(?:-+>|❱) ?\[?(\d{1,18})\b(?:\]\(\S*\))?(.*)$")
# "ValueError: in user code:", below which the exception itself follows, indented.
_QUOTED = Lazy(r"(?m)^[ \t]+[\w.]*(?:Error|Exception): (.+)")
# A plain string that is the name of a file, or an absolute path; what is looked up in a table is neither.
_PATH = Lazy(r"(?<![\w\])\[])([\"'])((?:~?/|\.{1,2}/)[\w.@+=~/-]+|[\w@+=~/-][\w.@+=~/-]*\.[A-Za-z][A-Za-z0-9]{1,10})\1")
_NOT_CODE = Lazy(
    r"\s*(?:File [\"'].*|[\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b(?:\(.*\))?(?::.*)?|Traceback .*|$)"
)


def exception_fact(part: str, record: Record | None) -> object | None:
    """Return the fact `exception.<part>` of the exception that `record` ends with; None if it is unknown."""
    raised = record.raised if record else None
    if record is None or raised is None:
        return None
    if part == "type":
        return raised.type or None  # a truncated traceback
    if part == "message":
        return _message(raised.message)[:LONGEST_MESSAGE] or None
    frames = _without_attribute_lookup(raised.frames)
    if not frames:
        return None
    if part == "own_path":
        return _own_path(record.text, frames)
    frame = frames[-1]
    if part.startswith("own_"):
        own = _own_frame(frames)
        if own is None:
            return None
        frame, part = own, part[4:]
    if part == "code":
        return code_at(record.text, frame)
    return {"file": frame.file, "line": frame.line, "function": frame.function or None}[part]


def _message(text: str) -> str:
    """Return the first line of an exception's `text`, or the message of the exception that it introduces and quotes."""
    first = text.split("\n", 1)[0]
    quoted = _QUOTED.findall(text) if first.endswith(":") else ()
    return quoted[-1] if quoted else first


def _without_attribute_lookup(frames: Sequence[Frame]) -> Sequence[Frame]:
    """Return `frames` up to the one that accessed an attribute, without the object's own look-up."""
    end = len(frames)
    while end > 1 and frames[end - 1].function in _LOOK_UPS:
        end -= 1
    return frames[:end]


def _own_frame(frames: Sequence[Frame]) -> Frame | None:
    """Return the innermost frame of the program's own code, if the exception was raised in a library."""
    if is_own(frames[-1].file):
        return None
    return next((one for one in reversed(frames) if one.line and is_own(one.file)), None)


def _own_path(text: str, frames: Sequence[Frame]) -> str | None:
    """Return the only path that a statement of the program names on the way to the exception, innermost first."""
    for frame in reversed(frames):
        named = {found[2] for found in _PATH.finditer(code_at(text, frame) or "")} if is_own(frame.file) else ()
        if named:
            return named.pop() if len(named) == 1 else None
    return None


def code_at(text: str, frame: Frame) -> str | None:
    """Return the statement that the traceback in `text` shows at `frame`, on one line; None if it shows none.

    The last of several such frames counts. Notebooks and boxed tracebacks show other lines too; an arrow marks the
    right one.
    """
    if not frame.line:
        return None
    lines = text.split("\n")
    for at in range(len(lines) - 1, -1, -1):
        _, file, rest = lines[at].partition(frame.file)
        if not file:
            continue
        plain = _PLAIN.match(rest)
        if plain and (plain[2] or int(plain[1]) != frame.line):
            continue
        found = _below(lines, at) if plain else _marked(lines, at, frame.line)
        if found:
            return found.rstrip(" ,")[:LONGEST_CODE]
    return None


def _below(lines: list[str], at: int) -> str:
    """Return the statement below a plain frame, which is indented deeper and may span lines."""
    depth = _depth(lines[at])
    kept: list[str] = []
    for line in lines[at + 1 : at + 1 + _MOST_LINES]:
        if _MARKS.match(line) or not line.strip():
            continue
        if (kept and _depth(line) <= depth) or _NOT_CODE.match(line):
            break
        kept.append(line.strip())
        if _depth(line) <= depth:  # the indentation was lost
            break
    return " ".join(kept)


def _marked(lines: list[str], at: int, number: int) -> str:
    for line in lines[at + 1 : at + 1 + _MOST_LINES]:
        found = _ARROW.match(line)
        if found and int(found[1]) == number:
            return str(found[2]).strip(" \t|│")
    return ""


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t|"))
