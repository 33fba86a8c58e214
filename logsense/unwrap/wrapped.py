"""Wrapped lines: what a terminal, a mail program or a page wrapped at its width is joined if the lengths prove it.

Cuts that stay are left to the search that ignores gaps; it does not find words that were cut, so those are joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import itemgetter

from logsense.model.record import TRACEBACK
from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.noun import NamedTuple
from logsense.util.regexes import Lazy

_NARROWEST = 60  # columns; nobody reads logs on a narrower terminal
_WIDEST = 240  # columns of a text wrapped between words
_TERMINALS = (80, 120, 132)  # usual widths, at which one line that was cut is enough beside a traceback
_MANY = 5  # lines that show a column
_BLANKS_OF_ROWS = 2
_USUAL, _SOON = 3, 60  # characters at the beginning of a line
# The rest of a wrapped line does not begin like this.
_BEGINS = Lazy(
    r"\s\s|\t|\d{4}-\d\d|\[|Traceback |[A-Z]\w*(?:Error|Exception)\b|(?:INFO|WARNING|ERROR|DEBUG)\b"
    r"|File \"|[IWEF]\d{4} |\d+%\||[#>$*=-]{3}|(?:[a-z_]\w*\.)+[A-Z]\w+:"
)
_TO_A_TIME = (" AT", " at", " on", " since", " until")
_ANY_DIGIT = str.maketrans("123456789", "000000000")
_RULED = Lazy(r"[|+│╭╰]|(.)\1+$")  # of a stripped line


class _Wrap(NamedTuple):
    """A guess: the lines `at` were cut at `width`, between two words if `soft`. Their lengths prove it if `sure`."""

    width: int
    at: set[int]
    soft: bool
    sure: bool


def unwrap(paste: Paste) -> Paste:
    """Return the text with wrapped lines joined where they began."""
    shown = paste.text.split("\n")
    lines = _unpadded(shown)
    if max(map(len, lines)) < _NARROWEST:
        return paste
    wrap = next((guess for guess in _guesses(lines, padded=lines is not shown) if guess.sure), None)
    return paste.with_lines(_joined(lines, wrap)) if wrap else paste


def _unpadded(lines: list[str]) -> list[str]:
    """Return `lines` without the blanks that copying from a terminal may fill them up with."""
    filled = [line for line in lines if line]
    full = max(map(len, filled), default=0)
    padded = sum(1 for line in filled if len(line) == full and line[-1] == " ")
    if len(filled) >= _MANY and padded * 2 > len(filled) and all(len(line) == full for line in filled):
        # A line as wide as the copy was cut.
        return [line.rstrip(" ") for line in lines]
    return lines


def _guesses(lines: list[str], *, padded: bool) -> list[_Wrap]:
    """Return how the lines may have been wrapped, the likelier guess first; `padded` lines tell the width of the
    terminal."""
    width = max(map(len, lines))
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    usual = _usual(lines, indent)
    hard = _hard(lines, width, indent, usual, padded=padded)
    soft = _soft(lines, width, indent, usual) if width <= _WIDEST else None
    if hard and soft:
        # Wrapping between words leaves lines of all lengths, and no blank at a cut.
        blanks = sum(1 for at in hard.at if lines[at][-1] == " " or lines[at + 1][indent : indent + 1] == " ")
        between = len(soft.at - hard.at) * 5 >= len(soft.at) and blanks * 8 < len(hard.at)
        if between:
            return [soft._replace(sure=soft.sure or hard.sure), hard]
        if blanks:
            soft = soft._replace(sure=False)
    return [guess for guess in (hard, soft) if guess]


def _hard(lines: list[str], width: int, indent: int, usual: str | None, *, padded: bool) -> _Wrap | None:
    """Guess which lines were cut at exactly `width`."""
    # A space at the cut may have been lost.
    full = [at for at, line in enumerate(lines[:-1]) if len(line) >= width - 1 and not _RULED.match(line.strip())]
    cut = [at for at in full if len(lines[at]) == width]
    continued = {at for at in full if _continues(lines[at][indent:], lines[at + 1][indent:], usual)}
    if not any(at in continued for at in cut):
        return None
    inside = sum(1 for at in cut if at in continued and _inside(lines[at], lines[at + 1][indent:]))
    at_terminal = width in _TERMINALS and any(TRACEBACK in line for line in lines)
    several = padded or at_terminal or _are_several(lines, cut)
    sure = several and sum(at in continued for at in cut) * 10 >= len(cut) * 8 and inside * 2 >= len(cut)
    # Rows of a table are all equally wide; a wrapped line ends somewhere.
    sure = sure and any(len(lines[at + 1]) < width - 1 for at in continued)
    return _Wrap(width, continued, soft=False, sure=sure)


def _soft(lines: list[str], width: int, indent: int, usual: str | None) -> _Wrap | None:
    """Guess which lines were cut between two words because the next did not fit into `width`."""
    unfit = set()
    long = 0
    for at, line in enumerate(lines[:-1]):
        long += 5 * len(line) >= 4 * width
        rest = lines[at + 1][indent:]
        word = len(rest.split(" ", 1)[0])
        if (
            line
            and len(line) + 1 + word > width
            and _continues(line[indent:], rest, usual)
            and not _RULED.match(line.strip())
        ):
            unfit.add(at)
    if not unfit:
        return None
    timed = {at for at in unfit if lines[at].endswith(_TO_A_TIME) and lines[at + 1][indent : indent + 1].isdigit()}
    ends = any(4 * len(lines[at + 1]) < 3 * width for at in unfit)
    flowing = sum(1 for at in unfit if not lines[at + 1][indent : indent + 1].isupper())
    sure = ends and _are_several(lines, unfit) and len(unfit) * 4 >= long * 3 and flowing * 2 >= len(unfit)
    return _Wrap(width, timed if timed and not sure else unfit, soft=True, sure=sure or bool(timed))


def _are_several(lines: list[str], at: Iterable[int]) -> bool:
    """Return whether several lines were cut; one message that is repeated has the same length each time."""
    return len({lines[one].translate(_ANY_DIGIT) for one in at}) > 1


def _continues(line: str, rest: str, usual: str | None) -> bool:
    return (
        bool(rest)
        and (not _BEGINS.match(rest) or (rest[0].isdigit() and line.endswith(_TO_A_TIME)))
        and rest[:6] != line[:6]
        and rest[:_USUAL] != usual
        and "Traceback (most" not in rest[:_SOON]
        and not _are_rows(line, rest)
    )


def _are_rows(line: str, rest: str) -> bool:
    """Return whether two lines are rows of a table or list: equally long, with blanks in the same places."""
    if len(line) != len(rest):
        return False
    here, there = ({at for at, one in enumerate(text) if one == " "} for text in (line.rstrip(), rest.rstrip()))
    return len(here & there) >= _BLANKS_OF_ROWS and 5 * len(here & there) >= 3 * len(here | there)


def _usual(lines: list[str], indent: int) -> str | None:
    """Return what most lines begin with, such as a column in front of them."""
    begins = Counter(line[indent : indent + _USUAL] for line in lines if line.strip())
    begin, count = max(begins.items(), key=itemgetter(1), default=("", 0))  # most_common() imports heapq
    return begin if begin.strip() and count * 2 > begins.total() and count >= _MANY else None


def _inside(line: str, rest: str) -> bool:
    """Return whether the cut is where no program ends a line: within a word, or at a space."""
    if line[-1] == " " or rest[0] in ",.)" or (rest[0] == " " and line[-1] not in ".:"):
        return True
    if rest[0].isupper() and not line[-1].isupper():
        return False
    return (line[-1].isalnum() or line[-1] in "_/.-=,(") and (rest[0].isalnum() or rest[0] in "_/.-=,)")


def _joined(lines: list[str], wrap: _Wrap) -> list[str | None]:
    """Return the lines, with None for each that the one above goes on with."""
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    joined: list[str | None] = []
    pieces: list[str] = []
    for at, line in enumerate(lines):
        pieces.append(line[indent:] if pieces else line)
        if at not in wrap.at:
            joined += ["".join(pieces), *(None for _ in range(at - len(joined)))]
            pieces = []
        elif _lost_blank(line, lines[at + 1][indent:], wrap):
            pieces.append(" ")
    return joined


def _lost_blank(line: str, rest: str, wrap: _Wrap) -> bool:
    """Return whether a space was lost at the cut between `line` and `rest`."""
    if not wrap.soft:
        return len(line) < wrap.width
    if line[-1] == " ":
        return False
    if line[-1] in ":,;":
        return True
    # A word wider than the screen was cut itself.
    return len(line) < wrap.width or len(line.rsplit(" ", 1)[-1]) + len(rest.split(" ", 1)[0]) <= wrap.width


SHAPES = (PasteShape("wrapped lines", ("\n",), unwrap),)
