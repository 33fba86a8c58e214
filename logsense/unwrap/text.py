"""Turn bytes into clean lines: encodings, colors, control characters, redrawn progress bars."""

from __future__ import annotations

from itertools import pairwise

from logsense.model.line import LONG_LINE, shorten_blanks
from logsense.model.record import TRACEBACK
from logsense.util.regexes import Lazy, LazyBytes

LONGEST = 64 * 1024  # bytes of a line; a longer one is split

_TEXT_BYTES = bytes(b for b in range(256) if (b >= 32 and b != 127) or b in b"\t\n")
# Cursor moves that overwrite text, as a carriage return does; a long run of backspaces is one.
_REDRAW = LazyBytes(rb"\r+|\x1b\[\d*(?:;\d*)?[ABEFGHJf]|\x08{4,}")
_RETURN = LazyBytes(rb"\r+")
# Jenkins hides its own notes as concealed text: hudson.console.ConsoleNote.
_ESCAPE = LazyBytes(
    rb"\x1b(?:\[8mha:[^\x1b]*\x1b\[0m|\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\`-~]?)"
)
_COLOR = LazyBytes(rb"\x1b\[(?:\d[\d;]*)?[mK](?!ha:)")
_CONTROLS = bytes(set(range(256)) - set(_TEXT_BYTES))
_ODD = Lazy("[\x80-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_ODD_BYTES = (b"\xc2", b"\xe2\x80", b"\xe2\x81", b"\xef\xbb\xbf")  # with which these and hard spaces begin
_BARE_COLOR = Lazy(
    r"\[8mha:[\w+/=]*\[0m|_bk;t=\d{13}|(?:\^\[|\\x1b|\\u001[bB]|\\033|\\e|#033|␛)?\[\d{1,3}(?:;\d{1,3}){0,4}m"
)
_COLOR_CODE = Lazy(r"\[\d{1,3}(?:;\d{1,3}){0,4}m")
_DIGIT = Lazy(r"\d")
_COUNTER = Lazy(r"\d\s?%|\d/\d|\dit \[")
# What a shell prints about a command that a signal ended, right after the command's last output.
_SIGNALS = ("Killed", "Terminated", "Aborted", "Hangup", "Segmentation fault", "Bus error", "Illegal instruction")
_SIGNALLED = Lazy(rf"(?<=[\d.%)\]])(?:{'|'.join(_SIGNALS)})(?: \(core dumped\))?$")
_SIGNAL_ENDS = (*_SIGNALS, "dumped)")
_BAR_SIGNS = ("%|", "it/s", "s/it")
_BEFORE_TRACEBACK = frozenset(" \n\"'(`\t─:>|+#=")  # what may precede it on its line
_AFTER_BAR = Lazy(r"(?:\d%(?:\|[^|]*\|)? |\dit )[^\[\]]{0,80}\[[^\]\n]{3,300}\](?=\s*[^\s,|])")


class Line:
    """A line of clean text, or one state of a redrawn line. `start` and `end` are byte offsets in the source.

    `fields` holds what prefixes said, by the names of `Prefix`; `key` distinguishes the streams of an interleaved log;
    `marked` says whether the line had a logger's prefix; `boxed` whether it was in a drawn frame.
    """

    __slots__ = ("boxed", "end", "fields", "key", "marked", "number", "start", "text")

    def __init__(self, text: str, number: int, start: int, end: int) -> None:
        self.text = text
        self.number = number
        self.start = start
        self.end = end
        self.fields: dict[str, object] | None = None
        self.key: tuple[object, ...] | None = None
        self.marked = False
        self.boxed = False


def split_lines(data: bytes, first_line: int, offset: int) -> list[Line]:
    """Return the clean lines of `data`, whose first line has number `first_line` and byte offset `offset`."""
    raw = data.split(b"\n")
    if not raw[-1]:
        raw.pop()
    if b"\x1b[" in data:
        data = _COLOR.sub(b"", data)
    controls = data.translate(None, _TEXT_BYTES)
    longest = max(map(len, raw), default=0)
    is_drawn = len(controls) != data.count(b"\r\n") or longest > LONGEST
    text = _without_bare_colors(_decoded(data))
    signs = [sign for sign in _BAR_SIGNS if sign in text]
    if _glued_tracebacks(text):
        signs.append(TRACEBACK)
    found: list[Line] = []
    number, start = first_line, offset
    for piece, line in zip(raw, map(str.rstrip, text.split("\n")), strict=False):
        end = start + len(piece)
        if is_drawn and (len(piece) > LONGEST or piece.removesuffix(b"\r").translate(None, _TEXT_BYTES)):
            found += _states(piece, number, start)
        else:
            if len(line) > LONG_LINE:
                line = shorten_blanks(line)
            if (signs and any(sign in line for sign in signs)) or line.endswith(_SIGNAL_ENDS):
                found += [Line(part, number, start, end) for part in _split_messages(line)]
            else:
                found.append(Line(line, number, start, end))
        number += 1
        start = end + 1
    return found


def _states(line: bytes, number: int, start: int) -> list[Line]:
    """Return the states in which `line` was drawn: of each progress bar the first and the last.

    Of a run of two states only the last counts: a closed bar is often drawn once more.
    """
    found: list[Line] = []
    previous: str | None = None
    row = 0
    for at, end in _spans(line):
        for text in _split_messages(_clean(line[at:end])):
            if not text:
                continue
            key = _bar(text)
            row = row + 1 if key is not None and key == previous else 0
            state = Line(text, number, start + at, start + end)
            if row in (0, 2):
                found.append(state)
            else:
                found[-1] = state
            previous = key
    return found or [Line("", number, start, start + len(line))]


def _spans(line: bytes) -> list[tuple[int, int]]:
    """Return the spans (start, end) of `line` between redraws, none longer than LONGEST."""
    spans: list[tuple[int, int]] = []
    at = 0
    redraw = _REDRAW if b"\x1b" in line or b"\x08" in line else _RETURN
    for move in redraw.finditer(line):
        if move.start() > at:
            spans.append((at, move.start()))
        at = move.end()
    if at < len(line):
        spans.append((at, len(line)))
    if len(line) <= LONGEST:
        return spans
    return [part for begin, end in spans for part in _cut(line, begin, end)]


def _cut(line: bytes, at: int, end: int) -> list[tuple[int, int]]:
    """Split `line[at:end]` into spans of at most LONGEST bytes, at a space or at least between characters."""
    parts: list[tuple[int, int]] = []
    while end - at > LONGEST:
        stop = at + LONGEST
        space = line.rfind(b" ", stop - 4096, stop)
        if space > 0:
            stop = space
        else:
            while stop > at + LONGEST - 4 and 0x80 <= line[stop] < 0xC0:
                stop -= 1
        parts.append((at, stop))
        at = stop
    parts.append((at, end))
    return parts


def _clean(line: bytes) -> str:
    """Decode `line` and remove escape sequences, control characters and trailing white space."""
    if b"\x1b" in line:
        line = _ESCAPE.sub(b"", line)
    return shorten_blanks(_without_bare_colors(_decoded(line.translate(None, _CONTROLS))).rstrip())


def _decoded(data: bytes) -> str:
    """Decode `data` and remove invisible characters; odd spaces become plain ones."""
    text = data.decode("utf-8", "replace")
    if not data.isascii() and any(sign in data for sign in _ODD_BYTES):
        return _ODD.sub("", text.replace("\xa0", " "))
    return text


def _without_bare_colors(text: str) -> str:
    """Remove codes that lost their escape character: colors ("[31m … [0m"), Buildkite's times."""
    if "_bk;t=" in text or (("[0m" in text or "[39m" in text or "[m" in text) and _COLOR_CODE.search(text)):
        return _BARE_COLOR.sub("", text)
    return text


def _bar(text: str) -> str | None:
    """Return what precedes the first number of a progress bar; None if `text` is not one."""
    if not _COUNTER.search(text):
        return None
    first = _DIGIT.search(text)
    return text[: first.start()].strip() if first else None


def _split_messages(text: str) -> list[str]:
    """Split `text` where another message was printed after it without a line break."""
    cuts = _glued_tracebacks(text)
    if any(sign in text for sign in _BAR_SIGNS):
        cuts += [bar.end() for bar in _AFTER_BAR.finditer(text)]
    if text.endswith(_SIGNAL_ENDS):
        cuts += [said.start() for said in _SIGNALLED.finditer(text)]
    if not cuts:
        return [text]
    parts = [text[begin:end].rstrip() for begin, end in pairwise([0, *sorted({*cuts}), len(text)])]
    return [parts[0], *(part.lstrip() for part in parts[1:])]


def _glued_tracebacks(text: str) -> list[int]:
    """Return where in `text` a traceback begins right behind another message, without a blank between them."""
    found = []
    at = text.find(TRACEBACK)
    while at >= 0:
        if at and text[at - 1] not in _BEFORE_TRACEBACK and not text.endswith("##[error]", 0, at):
            end = text.find("\n", at)
            if "\\n" not in text[at : end if end >= 0 else len(text)]:
                found.append(at)
        at = text.find(TRACEBACK, at + 1)
    return found
