"""Lay out styled text in columns: wrap, indent and color it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from logsense.render.clean import ascii_only, clean
from logsense.util.noun import NamedTuple
from logsense.util.regexes import Lazy

Span = tuple[str, str]  # a text and the name of its style

# Only the terminal's own 16 colors, bold and dim, so that the theme keeps them readable.
STYLES = {
    "": "",
    "bold": "1",
    "dim": "2",
    "bad": "1;31",
    "good": "1;32",
    "gutter": "31",
    "code": "36",
    "risk": "35",
    "place": "2",
}
USUAL_COLUMNS = 80  # of a text that no terminal shows
PROSE_COLUMNS = 96
_NARROW = frozenset("✗✓•…→│·×≥≤–—“”‘’█▒░")  # characters that logsense itself prints, each one column wide
LEAST_COLUMNS = 16  # of a text, however long its prefix
# A number and its unit stay on one line.
_PIECES = Lazy(r"\s+|\S*\d (?:[KMGT]i?B|bytes|ms|s|min|h|days|%)(?![\w])\S*|\S+")
_PLAIN_ADDRESS = Lazy(r"https?://[!-~]+")


class Look(NamedTuple):
    """The appearance of text output: `width` in columns; whether the terminal shows `color`, characters beyond ASCII
    and links (OSC 8); whether to show everything (`verbose`). `details_command` is the command or option for that.
    `inputs` are the logs as shell words, or "".
    """

    width: int = USUAL_COLUMNS
    color: bool = False
    unicode: bool = True
    verbose: bool = False
    links: bool = False
    details_command: str = "--verbose"
    inputs: str = ""


class Sheet:
    """Collect the lines of a page. All text is cleaned, so nothing in it can control the terminal."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._lines: list[str] = []
        self.columns = max(look.width, 20)
        self.line_columns = min(self.columns, PROSE_COLUMNS)

    def gap(self) -> None:
        """Add an empty line, except at the top or after another."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def prose(
        self, spans: Sequence[Span], *, first: Span = ("", ""), indent: int = 0, limit: int = PROSE_COLUMNS
    ) -> None:
        """Add wrapped text. `first` precedes the first line; the other lines are indented by its width."""
        indent = self._indent(indent, width_of(first[0]))
        hang = indent + width_of(first[0])
        if self.columns - hang < LEAST_COLUMNS:
            hang = self._indent(hang)
            self._put([(" " * indent, ""), first])
            first = (" " * (hang - indent), "")
        limit = max(min(self.columns, limit) - hang, LEAST_COLUMNS)
        for number, line in enumerate(wrap([(_flat(text), style) for text, style in spans], limit)):
            head = [(" " * indent, ""), first] if number == 0 else [(" " * hang, "")]
            self._put([*head, *line])

    def line(self, spans: Sequence[Span], *, indent: int = 0) -> bool:
        """Add `spans` as one line, with their spaces. If they do not fit, add nothing and return False."""
        spans = [(clean(text).replace("\n", " "), style) for text, style in spans]
        if indent + sum(width_of(text) for text, _ in spans) > self.line_columns:
            return False
        self._put([(" " * indent, ""), *spans])
        return True

    def code(self, text: str, *, indent: int) -> None:
        """Add a command, unwrapped so that it can be copied."""
        for line in clean(text).strip("\n").split("\n"):
            self._put([(" " * indent, ""), (line.rstrip(), "code")])

    def address(self, url: str, *, indent: int) -> None:
        """Add a URL, unwrapped, as a link if the terminal supports it. Never pass a URL from a log."""
        self.code(url, indent=indent)
        if self._look.links and _PLAIN_ADDRESS.fullmatch(url):
            # https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
            self._lines[-1] = self._lines[-1].replace(url, f"\x1b]8;;{url}\x1b\\{url}\x1b]8;;\x1b\\")

    def quote(self, text: str, focus: tuple[int, int] | None, *, indent: int) -> None:
        """Add a log line, cut to a few rows around `focus`, the start and end of the part that matters."""
        gutter = "│ "
        indent = self._indent(indent, len(gutter))
        columns = max(min(self.columns, 160) - indent - len(gutter), LEAST_COLUMNS)
        rows = max(1, -(-130 // columns))
        lines = wrap([(cut(text, focus, columns * rows), "")], columns)
        if len(lines) > rows:
            last = "".join(text for text, _ in lines[rows - 1])
            lines = [*lines[: rows - 1], [(_head(last, columns - 1).rstrip() + "…", "")]]
        for line in lines:
            self._put([(" " * indent, ""), (gutter, "gutter"), *line])

    def _indent(self, wanted: int, *more: int) -> int:
        """Return the `wanted` indent, or what a narrow terminal has room for with `more` columns after it."""
        return max(min(wanted, self.columns - sum(more) - LEAST_COLUMNS), 0)

    def text(self) -> str:
        """Return all lines, with a newline at the end."""
        return "\n".join(self._lines).rstrip("\n") + "\n"

    def _put(self, spans: Iterable[Span]) -> None:
        line = "".join(self._painted(text, style) for text, style in _merged(spans))
        self._lines.append(line if self._look.unicode else ascii_only(line))

    def _painted(self, text: str, style: str) -> str:
        code = STYLES[style] if self._look.color else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Join neighbors of the same style and strip trailing spaces."""
    merged: list[Span] = []
    for text, style in spans:
        if merged and merged[-1][1] == style:
            text = merged.pop()[0] + text
        merged.append((text, style))
    while merged and not merged[-1][0].strip():
        merged.pop()
    return [*merged[:-1], (merged[-1][0].rstrip(), merged[-1][1])] if merged else []


def wrap(spans: Sequence[Span], columns: int) -> list[list[Span]]:
    """Break `spans` into lines of at most `columns`, at whitespace, or inside a word that is longer than a line."""
    lines: list[list[Span]] = [[]]
    used = 0
    for text, style in spans:
        for piece in _PIECES.findall(text):
            if piece.isspace():
                if used and used < columns:
                    lines[-1].append((" ", style))
                    used += 1
                continue
            size = width_of(piece)
            if used and used + size > columns:
                lines.append([])
                used = 0
            while size > columns:
                head = _head(piece, columns)
                lines[-1].append((head, style))
                lines.append([])
                piece = piece[len(head) :]
                size = width_of(piece)
            lines[-1].append((piece, style))
            used += size
    return lines if lines[-1] or len(lines) == 1 else lines[:-1]


def cut(text: str, focus: tuple[int, int] | None, columns: int) -> str:
    """Return at most `columns` of `text` on one line, with … where text is left out; `focus` is kept first."""
    start, end = focus or (0, 0)
    before, middle, after = _flat(text[:start]), _flat(text[start:end]), _flat(text[end:])
    whole = before + middle + after
    if width_of(whole) <= columns or columns < 4:
        return whole.strip()
    lead = columns // 4
    if len(before) <= lead or width_of(before) + min(width_of(middle), columns // 2) < columns * 2 // 3:
        return cut_end(whole, columns)
    rest = "…" + before[-lead:].lstrip() + middle + after
    return cut_end(rest, columns)


def cut_end(text: str, columns: int) -> str:
    """Return at most `columns` of `text`, with … where some is left out."""
    if width_of(text) <= columns:
        return text
    return _head(text, columns - 1).rstrip() + "…" if columns > 1 else ""


def width_of(text: str) -> int:
    """Return how many columns `text` takes in a terminal."""
    if text.isascii() or all(char.isascii() or char in _NARROW for char in set(text)):
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


def _head(text: str, columns: int) -> str:
    if text.isascii():
        return text[:columns]
    end = used = 0
    while end < len(text) and used + width_of(text[end]) <= columns:
        used += width_of(text[end])
        end += 1
    return text[: max(end, 1)]


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", clean(text))
