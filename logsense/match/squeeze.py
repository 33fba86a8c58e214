"""Squeezes a text: every gap of blanks and line ends becomes one space, and colors within it go.

Gaps are few where a text is cut at them, so each part is squeezed by calls that know nothing of where what went; only
of parts in which something was found that is worked out.
"""

from __future__ import annotations

from bisect import bisect_right

from logsense.util.regexes import LazyBytes

PART_BYTES = 4 << 10
_BLANKS = bytes.maketrans(b"\t\r\n", b"   ")
_CUT = LazyBytes(rb"[ \t\r\n](?=[^ \t\r\n\x1b])")
_GAP = LazyBytes(rb"[ \t\r\n]{2,}|[\t\r\n]")
_COLORED = LazyBytes(rb"(?:[ \t\r\n]|\x1b\[[0-9;]*[mK])+")
_IN_ESCAPES = b"\x1b[0123456789;mK"


class Squeezed:
    """`data` squeezed as `text`; `origin` tells where in `data` something in `text` stands."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._begins: list[int] = []  # of the parts, in `data`
        self._squeezed: list[int] = []  # of the parts, in `text`
        self._moves: dict[int, tuple[list[int], list[int]]] = {}
        parts: list[bytes] = []
        at = size = 0
        plain = data.translate(_BLANKS)
        if b"  " not in plain and b"\x1b[" not in data:  # nothing goes
            self.text, self._begins, self._squeezed, self._moves = plain, [0], [0], {0: ([0], [0])}
            return
        while at < len(data):
            cut = _CUT.search(data, at + PART_BYTES)
            end = cut.end() if cut else len(data)
            self._begins.append(at)
            self._squeezed.append(size)
            parts.append(_squeezed(data[at:end]))
            size += len(parts[-1])
            at = end
        self.text = b"".join(parts)

    def origin(self, position: int) -> int:
        """Return the index in the data of what is at `position` in the text."""
        number = bisect_right(self._squeezed, position) - 1
        if number not in self._moves:
            end = self._begins[number + 1] if number + 1 < len(self._begins) else len(self._data)
            self._moves[number] = _moves(self._data[self._begins[number] : end])
        begins, moves = self._moves[number]
        position -= self._squeezed[number]
        return self._begins[number] + position + moves[bisect_right(begins, position) - 1]


def _squeezed(part: bytes) -> bytes:
    if b"\x1b[" in part:
        return _COLORED.sub(lambda gap: _in_place_of(gap[0]), part)
    part = part.translate(_BLANKS)
    while b"  " in part:
        part = part.replace(b"  ", b" ")
    return part


def _in_place_of(gap: bytes) -> bytes:
    return b"" if gap[0] == 0x1B and not gap.translate(None, _IN_ESCAPES) else b" "


def _moves(part: bytes) -> tuple[list[int], list[int]]:
    """Return indices of the squeezed part, and what to add from each on to find the same in `part`."""
    begins, moves = [0], [0]
    for gap in (_COLORED if b"\x1b[" in part else _GAP).finditer(part):
        space = _in_place_of(gap[0])
        if gap[0] != space:
            begins.append(gap.start() + len(space) - moves[-1])
            moves.append(gap.end() - begins[-1])
    return begins, moves
