"""What a job's output leaves behind in a terminal: an unfinished line, colors, a hidden cursor, another screen."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.util.files import tail_of
from logsense.util.regexes import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.recorder.output import Piece

# Private modes that outlive a program, and whether they are normally set ("h") or reset ("l"): the cursor is visible,
# and the alternate screen, reports of the mouse and of the focus, and bracketed paste are off.
# https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
_NORMAL = {
    "25": "h", "47": "l", "1047": "l", "1049": "l", "1000": "l", "1002": "l", "1003": "l", "1004": "l", "1006": "l",
    "2004": "l",
}  # fmt: skip
_MODE = Lazy(r"\x1b\[\?([0-9;]+)([hl])")
_COLOR = Lazy(r"\x1b\[([0-9;:]*)m")
_SEQUENCE = Lazy(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-~]|[0-~])")
LONGEST = 64  # characters of a sequence, which can come in two pieces
TAIL_BYTES = 1 << 20  # of a recorded output: where most programs change modes is in it


class Leftovers:
    """Watch the bytes of a job, and return what restores the terminal after them."""

    def __init__(self) -> None:
        self._end = ""
        self._color = ""
        self._modes: dict[str, str] = {}

    def feed(self, data: bytes) -> None:
        """Take in the next bytes."""
        end = self._end
        if b"\x1b" in data or "\x1b" in end:
            text = end + data.decode("latin-1")
            for found in _MODE.finditer(text):
                self._modes.update(dict.fromkeys(found[1].split(";"), found[2]))
            for found in _COLOR.finditer(text):
                self._color = found[1].strip("0;")
        self._end = (end + data[-LONGEST:].decode("latin-1"))[-LONGEST:]

    def undone(self) -> str:
        """Return what ends the line, colors and modes, and begins a paragraph; "" if nothing was printed."""
        if not self._end:
            return ""
        modes = "".join(
            f"\x1b[?{mode}{normal}" for mode, normal in _NORMAL.items() if self._modes.get(mode, normal) != normal
        )
        color = "\x1b[0m" if self._color else ""
        # A program that is left on the alternate screen leaves the cursor anywhere on the normal one.
        return f"{color}{modes}{chr(10) if modes else self.line_end()}\n"

    def line_end(self) -> str:
        """Return what ends an unfinished line; "" if there is none."""
        end = _SEQUENCE.sub("", self._end)
        return "\n" if end and not end.endswith("\n") else ""


def leftovers_of(pieces: Sequence[Piece]) -> Leftovers:
    """Return what the recorded output in `pieces` leaves behind."""
    found = Leftovers()
    for path, *_ in pieces[-2:]:
        found.feed(tail_of(path, TAIL_BYTES))
    return found
