"""A traceback whose beginning was cut off: its header is restored."""

from __future__ import annotations

from logsense.model.record import TRACEBACK
from logsense.unwrap import traceback
from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.regexes import Lazy

_FRAME = Lazy(r'(?m)^(?P<prefix>[^\n]{0,60}?)(?P<indent> *)File "[^"\n]+", line \d+, in [^\n]+$')
_NAME = Lazy(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*")
_MOST_LINES = 200
_CUT_FRAMES = 3  # so many frames at the end of a text are a traceback that was cut off


def _with_header(paste: Paste) -> Paste:
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
    return paste.replaced([(first.start(), first.start(), f"{prefix}{indent[:-2]}{TRACEBACK}:\n")])


def _is_traceback(lines: list[str]) -> bool:
    base = len(lines[0]) - len(lines[0].lstrip())
    for line in lines[1:]:
        if not line.strip() or len(line) - len(line.lstrip()) >= max(base, 1):
            continue
        return bool(_NAME.fullmatch(line.strip()) or traceback.exception(line))
    return sum(bool(traceback.frame(line)) for line in lines) >= _CUT_FRAMES


SHAPES = (PasteShape("a traceback that was cut off", ('", line ',), _with_header),)
