"""What a log may come inside of: the protocol of the family, and the step that unwraps a log line by line.

A shape is a module. `STREAMED` in streamed.py lists those of whole logs of any size, `PASTED` in pasted.py those of
pasted text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from logsense.model.line import Places
from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from logsense.model.source import Step

    class Shape(Protocol):
        """A way in which a log is wrapped."""

        name: str

        def begins(self, head: bytes, /) -> bool:
            """Return whether a log that begins with `head` has this shape."""

        def step(self, head: bytes, /) -> Step:
            """Return what unwraps it."""


LONGEST = 4 << 20  # bytes of a line; a longer one stays unchanged
_FIRST = 400  # lines that show whether a log has a shape


def most_lines(head: bytes, has_shape: Callable[[bytes], object], blank: bytes = b"\r\n\t ") -> bool:
    """Return whether at least three in five of the first lines have the shape; lines of `blank` bytes don't count."""
    lines = [line for line in head.split(b"\n")[:_FIRST] if line.strip(blank)]
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()  # possibly cut off
    return bool(lines) and sum(1 for line in lines if has_shape(line)) * 5 >= len(lines) * 3


class Line(NamedTuple):
    """A line without its end, and the number under which people find it."""

    text: bytes
    number: int


class LineStep:
    """Unwrap a log, in pieces of any size.

    `consume` returns the lines that a line completes, `rest` those held back at the end of the log.
    """

    def __init__(self, consume: Callable[[Line], Iterable[Line]], rest: Callable[[], Iterable[Line]] = tuple) -> None:
        self.places = Places()
        self._consume, self._rest = consume, rest
        self._number = 0
        self._held: list[bytes] = []  # the beginning of a line
        self._size = 0
        self._is_raw = False  # in the middle of a line that is too long

    def feed(self, chunk: bytes) -> bytes:
        """Return the text of the lines that `chunk` completes."""
        head, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            return self._hold(chunk)
        lines = b"".join([*self._held, head]).split(b"\n")
        self._held, self._size = [], 0
        before = b""
        if self._is_raw:
            before = lines.pop(0) + b"\n"
            self._is_raw = False
        return before + self._text(lines) + self._hold(tail)

    def finish(self) -> bytes:
        """Return the text of an unfinished last line, and of the lines held back."""
        rest, self._held = b"".join(self._held), []
        text = self._text([rest]) if rest else b""
        held = self._placed(self._rest())
        return text + b"\n".join([*held, b""]) if held else text.removesuffix(b"\n")

    def _text(self, lines: list[bytes]) -> bytes:
        found: list[Line] = []
        for number, line in enumerate(lines, self._number + 1):
            found += self._consume(Line(line, number))
        self._number += len(lines)
        return b"\n".join([*self._placed(found), b""])

    def _placed(self, lines: Iterable[Line]) -> list[bytes]:
        texts = []
        for text, number in lines:
            self.places.add(number)
            texts.append(text)
        return texts

    def _hold(self, part: bytes) -> bytes:
        """Keep the beginning of a line; return it once it is too long."""
        if self._is_raw or not part:
            return part
        self._held.append(part)
        self._size += len(part)
        if self._size <= LONGEST:
            return b""
        self._number += 1
        self.places.add(self._number)
        self._is_raw = True
        too_long, self._held, self._size = b"".join(self._held), [], 0
        return too_long
