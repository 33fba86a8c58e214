"""A traceback that was cut off: its header, or the exception that its last line raises, is restored."""

from __future__ import annotations

from logsense.model.record import TRACEBACK
from logsense.unwrap import traceback
from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.regexes import Lazy

_FRAME = Lazy(r'(?m)^(?P<prefix>[^\n]{0,60}?)(?P<indent> *)File "[^"\n]+", line \d+, in [^\n]+$')
_NAME = Lazy(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*")
_ARROW = Lazy(r"(?m)^-{3,}> ?\d{1,6} +\S")
LONGEST_END = 2000  # characters of a statement and the marks below it
_MOST_LINES = 200
_CUT_FRAMES = 3  # so many frames at the end of a text are a traceback that was cut off
# Message text, up to the first placeholder.
_MESSAGE = r"""f?(?P<quote>["'])(?P<message>[^"'{}%\n]{8,400})(?:\{[^\n]{0,400})?(?P=quote)"""
_RAISE = Lazy(rf"\s*raise (?P<name>\w[\w.]{{0,80}})\(\s*{_MESSAGE}\s*\)")
_RAISE_BARE = Lazy(
    r"\s*raise (?P<name>[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt))(?:\(\))?(?: from \w{1,80})?"
)
_ASSERT = Lazy(rf"\s*assert [^\n]{{3,400}}?(?:,\s*\(?\s*{_MESSAGE}\s*\)?)?")
_CARETS = Lazy(r"\n[ \t]*[\^~]+[\^~ \t]*$")


def _complete(paste: Paste) -> Paste:
    """Add the header of a traceback that was cut off, or the exception if it ends with `raise` or `assert`."""
    text = paste.text
    last = next((line for line in text[-LONGEST_END:].rstrip().split("\n")[:-3:-1] if line.strip(" \t^~")), "")
    if last.lstrip().startswith(("raise ", "assert ")):
        paste = with_exception(paste)
    if "\n---" in f"\n{text}" and "> " in text:
        paste = with_cell_header(paste)
    frame = text.find(", in ", text.find('", line '))
    return paste if frame < 0 or -1 < text.find(TRACEBACK) < frame else with_header(paste)


def with_header(paste: Paste) -> Paste:
    """Return the text with a traceback header above its first frames if they lack one.

    The header is added only if the frames end in an exception, or at the end of the text.
    """
    text = paste.text
    first = _FRAME.search(text, 0, text.find(TRACEBACK) if TRACEBACK in text else len(text))
    if first is None:
        return paste
    above = text[: first.start()].rstrip().rpartition("\n")[2]
    # Other kinds of stack dumps have their own heading.
    if "most recent call" in above or "innermost" in above or (above.endswith(":") and above[:1] != " "):
        return paste
    prefix, indent = first["prefix"], first["indent"]
    lines = text[first.start() :].split("\n", _MOST_LINES)[:_MOST_LINES]
    if not _is_traceback([line[len(prefix) :] for line in lines]):
        return paste
    return _inserted(paste, first.start(), f"{prefix}{indent[:-2]}{TRACEBACK}:\n")


def with_cell_header(paste: Paste) -> Paste:
    """Return the text with a traceback header above a notebook's arrow ("---> 9 code") that has none.

    The header is added only if an exception follows.
    """
    text = paste.text
    first = _ARROW.search(text)
    if first is None or TRACEBACK in text[: first.start()]:
        return paste
    for line in text[first.end() :].split("\n", _MOST_LINES)[1:_MOST_LINES]:
        if line.strip() and line[0] not in " \t-":
            raised = traceback.exception(line)
            return _inserted(paste, first.start(), f"{raised[0]}  {TRACEBACK}\n") if raised else paste
    return paste


def _inserted(paste: Paste, at: int, text: str) -> Paste:
    return paste.replaced([(at, at, text)])


def _is_traceback(lines: list[str]) -> bool:
    base = len(lines[0]) - len(lines[0].lstrip())
    for line in lines[1:]:
        if not line.strip() or len(line) - len(line.lstrip()) >= max(base, 1):
            continue
        return bool(_NAME.fullmatch(line.strip()) or traceback.exception(line))
    return sum(bool(traceback.frame(line)) for line in lines) >= _CUT_FRAMES


def with_exception(paste: Paste) -> Paste:
    """Return the text with the exception that its last line, a `raise` or an `assert`, would have printed."""
    text = paste.text
    whole = text.rstrip()
    carets = _CARETS.search(whole)
    body = whole[: carets.start()] if carets else whole
    begins = body.rfind("\n") + 1
    if found := _RAISE.fullmatch(body, begins):
        return _inserted(paste, len(whole), f"\n{found['name']}: {found['message'].rstrip()}")
    in_frame = _FRAME.search(body, max(0, begins - 1000), begins)
    if in_frame and (found := _RAISE_BARE.fullmatch(body, begins)):
        return _inserted(paste, len(whole), f"\n{found['name']}")
    found = _ASSERT.fullmatch(body, begins)
    if found is None:
        return paste
    shown = f"AssertionError: {found['message'].rstrip()}" if found["message"] else "AssertionError"
    if in_frame:
        return _inserted(paste, len(whole), f"\n{shown}")
    # Any code may end in an assert. Pasted alone, with its own message, it is what failed.
    if found["message"] and not body[:begins].strip():
        return _inserted(_inserted(paste, len(whole), f"\n{shown}"), 0, f"{TRACEBACK}:\n")
    return paste


SHAPES = (PasteShape("a traceback that was cut off", (", in ", "raise ", "assert ", "> "), _complete),)
