"""Gives a traceback back what was cut off: its header, or the exception that its last line raises."""

from __future__ import annotations

from logsense.model.record import TRACEBACK
from logsense.unwrap import traceback
from logsense.util.regexes import Lazy

_FRAME = Lazy(r'(?m)^(?P<prefix>[^\n]{0,60}?)(?P<indent> *)File "[^"\n]+", line \d+, in [^\n]+$')
_NAME = Lazy(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*")
_ARROW = Lazy(r"(?m)^-{3,}> ?\d{1,6} +\S")
_MOST_LINES = 200
_FRAMES_ALONE = 3  # so many at the end of a text are a traceback that breaks off
# Up to what is filled in.
_MESSAGE = r"""f?(?P<quote>["'])(?P<message>[^"'{}%\n]{8,400})(?:\{[^\n]{0,400})?(?P=quote)"""
_RAISE = Lazy(rf"\s*raise (?P<name>\w[\w.]{{0,80}})\(\s*{_MESSAGE}\s*\)")
_RAISE_BARE = Lazy(
    r"\s*raise (?P<name>[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt))(?:\(\))?(?: from \w{1,80})?"
)
_ASSERT = Lazy(rf"\s*assert [^\n]{{3,400}}?(?:,\s*\(?\s*{_MESSAGE}\s*\)?)?")
_CARETS = Lazy(r"\n[ \t]*[\^~]+[\^~ \t]*$")


def completed(text: str) -> str:
    """`text` with a header in front of the frames above its first traceback, where they end in an exception or are all.

    The header shares the line of the first frame, parted by a carriage return.
    """
    first = _FRAME.search(text, 0, text.find(TRACEBACK) if TRACEBACK in text else len(text))
    if first is None:
        return text
    above = text[: first.start()].rstrip().rpartition("\n")[2]
    # Other lists of frames have a heading of their own.
    if "most recent call" in above or "innermost" in above or (above.endswith(":") and above[:1] != " "):
        return text
    prefix, indent = first["prefix"], first["indent"]
    lines = text[first.start() :].split("\n", _MOST_LINES)[:_MOST_LINES]
    if not _is_traceback([line[len(prefix) :] for line in lines]):
        return text
    return f"{text[: first.start()]}{prefix}{indent[:-2]}{TRACEBACK}:\r{text[first.start() :]}"


def completed_cell(text: str) -> str:
    """`text` with a header in front of a notebook's arrow ("---> 9 code") that has no frame above, where it and the
    code below end in an exception."""
    first = _ARROW.search(text)
    if first is None or TRACEBACK in text[: first.start()]:
        return text
    for line in text[first.end() :].split("\n", _MOST_LINES)[1:_MOST_LINES]:
        if line.strip() and line[0] not in " \t-":
            raised = traceback.exception(line)
            header = f"{raised[0]}  {TRACEBACK}\r" if raised else ""
            return f"{text[: first.start()]}{header}{text[first.start() :]}"
    return text


def _is_traceback(lines: list[str]) -> bool:
    base = len(lines[0]) - len(lines[0].lstrip())
    for line in lines[1:]:
        if not line.strip() or len(line) - len(line.lstrip()) >= max(base, 1):
            continue
        return bool(_NAME.fullmatch(line.strip()) or traceback.exception(line))
    return sum(bool(traceback.frame(line)) for line in lines) >= _FRAMES_ALONE


def ended(text: str) -> str:
    """`text` with the exception that its last line, a `raise` or an `assert`, stands for, where it was cut off there.

    The exception shares the line of the statement, parted by a carriage return.
    """
    whole = text.rstrip()
    carets = _CARETS.search(whole)
    body = whole[: carets.start()] if carets else whole
    rest = text[len(whole) :]
    begins = body.rfind("\n") + 1
    if found := _RAISE.fullmatch(body, begins):
        return f"{whole}\r{found['name']}: {found['message'].rstrip()}{rest}"
    in_frame = _FRAME.search(body, max(0, begins - 1000), begins)
    if in_frame and (found := _RAISE_BARE.fullmatch(body, begins)):
        return f"{whole}\r{found['name']}{rest}"
    found = _ASSERT.fullmatch(body, begins)
    if found is None:
        return text
    said = f"AssertionError: {found['message'].rstrip()}" if found["message"] else "AssertionError"
    if in_frame:
        return f"{whole}\r{said}{rest}"
    # Other code may end so too. Alone, with words of its own, it was pasted as what failed.
    if found["message"] and not body[:begins].strip():
        return f"{TRACEBACK}:\r{whole}\r{said}{rest}"
    return text
