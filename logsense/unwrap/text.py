"""Turn bytes into clean lines: encodings, colors, control characters, redrawn progress bars."""

from __future__ import annotations

from logsense.model.line import LONG_LINE, shorten_blanks
from logsense.model.record import TRACEBACK
from logsense.util.regexes import Lazy, LazyBytes

LONGEST = 64 * 1024  # bytes of a line; a longer one is split

_TEXT_BYTES = bytes(b for b in range(256) if (b >= 32 and b != 127) or b in b"\t\n")
# Cursor moves that overwrite text, as a carriage return does; a long run of backspaces is one.
_REDRAW = LazyBytes(rb"\r+|\x1b\[\d*(?:;\d*)?[ABEFGHJf]|\x08{4,}")
# Jenkins hides its own notes as concealed text: hudson.console.ConsoleNote.
_ESCAPE = LazyBytes(
    rb"\x1b(?:\[8mha:[^\x1b]*\x1b\[0m|\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\`-~]?)"
)
_OVERTYPED = LazyBytes(rb"[^\x08]\x08")
_CONTROLS = bytes(set(range(256)) - set(_TEXT_BYTES))
_ODD = Lazy("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_BARE_COLOR = Lazy(
    r"\[8mha:[\w+/=]*\[0m|_bk;t=\d{13}|(?:\^\[|\\x1b|\\u001[bB]|\\033|\\e|#033|␛)?\[\d{1,3}(?:;\d{1,3}){0,4}m"
)
_COUNTER = Lazy(r"\d\s?%|\d/\d|\dit \[")
# What a shell prints about a command that a signal ended, right after the command's last output.
_SIGNALS = ("Killed", "Terminated", "Aborted", "Hangup", "Segmentation fault", "Bus error", "Illegal instruction")
_SIGNALLED = Lazy(rf"(?<=[\d.%)\]])(?:{'|'.join(_SIGNALS)})(?: \(core dumped\))?$")
# A line without any of these is not split.
_CUT_SIGNS = (TRACEBACK, "%|", "it/s", "s/it", *_SIGNALS)
_AFTER_BAR = Lazy(r"(?:\d%(?:\|[^|]*\|)? |\dit )[^\[\]]{0,80}\[[^\]\n]{3,300}\](?=\s*[^\s,])")


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
    controls = data.translate(None, _TEXT_BYTES)
    if len(controls) and controls.count(b"\r") == len(controls) == data.count(b"\r\n"):
        controls = b""  # only Windows line ends
    if controls or len(max(raw, key=len, default=b"")) > LONGEST:
        return _redrawn(raw, first_line, offset)
    text = data.decode("utf-8", "replace")
    if not data.isascii():
        text = _plain(text)
    text = _without_bare_colors(text)
    signs = [sign for sign in _CUT_SIGNS if sign in text]
    found: list[Line] = []
    number, start = first_line, offset
    for piece, line in zip(raw, text.split("\n"), strict=False):
        end = start + len(piece)
        if len(line) > LONG_LINE:
            line = shorten_blanks(line)
        if signs and any(sign in line for sign in signs):
            found += [Line(part, number, start, end) for part in _split_messages(line.rstrip())]
        else:
            found.append(Line(line.rstrip(), number, start, end))
        number += 1
        start = end + 1
    return found


def _redrawn(raw: list[bytes], number: int, start: int) -> list[Line]:
    """Return the lines of a text with control characters or very long lines."""
    found: list[Line] = []
    for line in raw:
        end = start + len(line)
        if len(line) <= LONGEST and not line.translate(None, _TEXT_BYTES):
            found += [Line(text, number, start, end) for text in _split_messages(_clean(line))]
        else:
            found += _states(line, number, start)
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
    for move in _REDRAW.finditer(line):
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
    if b"\x08" in line:
        line = _OVERTYPED.sub(b"", line)
    if line.isascii():
        return shorten_blanks(_without_bare_colors(line.translate(None, _CONTROLS).decode("ascii")).rstrip())
    return shorten_blanks(_without_bare_colors(_plain(line.decode("utf-8", "replace"))).rstrip())


def _plain(text: str) -> str:
    """Remove control and invisible characters from `text`; odd spaces become plain ones."""
    text = text.replace("\xa0", " ")
    return _ODD.sub("", text) if _ODD.search(text) else text


def _without_bare_colors(text: str) -> str:
    """Remove codes that lost their escape character: colors ("[31m … [0m"), Buildkite's times."""
    if "[0m" in text or "[39m" in text or "[m" in text or "_bk;t=" in text:
        return _BARE_COLOR.sub("", text)
    return text


def _bar(text: str) -> str | None:
    """Return what precedes the first number of a progress bar; None if `text` is not one."""
    counter = _COUNTER.search(text)
    if counter is None:
        return None
    for at, letter in enumerate(text):
        if letter.isdigit():
            return text[:at].strip()
    return None


def _split_messages(text: str) -> list[str]:
    """Split `text` where another message was printed after it without a line break."""
    cuts: list[int] = []
    if "%|" in text or "it/s" in text or "s/it" in text:
        cuts += [bar.end() for bar in _AFTER_BAR.finditer(text)]
    if text.endswith((*_SIGNALS, "dumped)")):
        cuts += [said.start() for said in _SIGNALLED.finditer(text)]
    at = text.find(TRACEBACK)
    if at > 0 and text[:at].endswith("##[error]"):
        at = 0
    if at > 0 and text[at - 1] not in " \"'(`\t─:>|+#=" and "\\n" not in text[at:]:
        cuts.append(at)
    if not cuts:
        return [text]
    cuts = sorted({*cuts})
    parts = [text[begin:end].rstrip() for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [parts[0], *(part.lstrip() for part in parts[1:])]
