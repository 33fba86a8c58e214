"""The blocks of a report. `screen.py` selects and orders them; each format prints every kind of block in its own way.

Their texts are not cleaned or escaped yet.
"""

from __future__ import annotations

from logsense.model.live import Series
from logsense.model.report import RankRow
from logsense.util.noun import NamedTuple


class Headline(NamedTuple):
    """What happened; how sure that is (`sure`), how far the run had come (`status`), and the id of the cause.

    `kind` is failed, guess, good or plain.
    """

    kind: str
    title: str
    sure: str = ""
    status: str = ""
    cause: str = ""


class Heading(NamedTuple):
    """The title of the blocks up to the next one."""

    text: str


class Paragraph(NamedTuple):
    """A text, after a `label` if it has one. A `faint` one matters less."""

    text: str
    label: str = ""
    faint: bool = False


class Proof(NamedTuple):
    """A sentence, and the line of the log that proves it: its place, the program's frame, and the line itself.

    `focus` is the span of `text` that matters most.
    """

    says: str = ""
    where: str = ""
    frame: str = ""
    text: str | None = None
    focus: tuple[int, int] | None = None


class Step(NamedTuple):
    """Something to do: a fix or a check. `label` is its number, or what it is for; `risk` is in words."""

    label: str
    do: str
    run: str = ""
    why: str = ""
    risk: str = ""
    grave: bool = False


class Rival(NamedTuple):
    """Another cause that is possible, with the check that would decide."""

    percent: str
    title: str
    cause: str
    explanation: str = ""
    check: Step | None = None


class Rows(NamedTuple):
    """Short texts with labels; a row without a label continues the one above."""

    rows: tuple[tuple[str, str], ...]


class Facts(NamedTuple):
    """Facts: their names, their values, and where they were read."""

    rows: tuple[tuple[str, str, str], ...]


class Plot(NamedTuple):
    """Samples over time."""

    series: Series


class Bar(NamedTuple):
    """A bar of blocks, between its name and what it stands for in words."""

    name: str
    blocks: str
    words: str


class RankTable(NamedTuple):
    """Ranks that did the same at the end, and what that was; those `at_fault` come first."""

    rows: tuple[tuple[str, str, bool], ...]


class Timeline(NamedTuple):
    """What each rank did at the end."""

    rows: tuple[RankRow, ...]


class Command(NamedTuple):
    """What to type for more, after a few words that say what it does."""

    says: str
    run: str


class Link(NamedTuple):
    """The address of a page to read."""

    address: str


class Folded(NamedTuple):
    """Blocks that a page hides until somebody asks for them."""

    title: str
    blocks: tuple[object, ...]
