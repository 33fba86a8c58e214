"""Unwraps a saved notebook: what its cells printed, in the order in which they ran.

The formats: https://nbformat.readthedocs.io/en/latest/format_description.html, and nbformat 3 as IPython wrote it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from itertools import islice

from logsense.model.line import Part
from logsense.model.source import ChunkReader, Raw, Source
from logsense.unwrap.large_cell import LargeCell, end_of_string
from logsense.util.noun import NamedTuple

MOST_CELL = 8 << 20  # characters of one that is decoded at once, pictures among them
MOST_VALUES = 1_000_000  # in one cell: each takes many times the bytes that it is written with
MOST_KEPT_BYTES = 16 << 20  # of all that cells printed
MOST_CELLS = 100_000
MOST_CODE = 20_000  # characters of the code of a cell that failed
_MOST_LISTS = 100  # under the name of one of cells, before none of them is taken for it
_CELLS = re.compile(r'"cells"\s*:\s*\[\s*')
_CELL = re.compile(r'\{\s*"cell_type"\s*:')  # as nbformat writes one, with its keys in order
_JSON = json.JSONDecoder(strict=False)
_SIGN = re.compile(r'["{}\[\],]')
_NEXT = re.compile(r"[\s,]*")
_RAN = re.compile(r'"(?:execution_count|prompt_number)"\s*:\s*(\d{1,9})\b')
_RAN_WITHIN = 2000  # characters
_FIRST_LOOK = 1 << 16  # characters; looked at again each time that twice as many are there


class _Cell(NamedTuple):
    """A cell that ran: its number (None if not told), its place in the notebook from 1, what it printed, whether it
    failed, and then its code."""

    ran: int | None
    place: int
    text: bytes
    failed: bool
    code: str


def is_notebook(head: bytes) -> bool:
    """Whether a file that begins with `head` is a notebook by its first keys."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and (
        b'"nbformat"' in head or (b'"cells"' in head and b'"cell_type"' in head)
    )


class Notebook:
    """Takes a notebook's bytes and gives what its cells printed, all of it at the end.

    Then `parts` says which lines are of which cell, and `note` what went wrong. What is no notebook after all is given
    as it came.
    """

    def __init__(self) -> None:
        self.parts: tuple[Part, ...] = ()
        self.note: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._raw: list[bytes] | None = []  # what was fed, until a cell is found
        self._waiting: list[str] = []
        self._size, self._wanted = 0, _FIRST_LOOK
        self._inside = self._closed = self._stopped = self._plain = False
        self._large: LargeCell | None = None
        self._ran: list[_Cell] = []
        self._cut: list[int] = []
        self._count = self._kept = 0

    def feed(self, chunk: bytes) -> bytes:
        """Nothing, as long as this may be a notebook."""
        if self._plain:
            return chunk
        if self._raw is not None:
            self._raw.append(chunk)
        self._take(self._decoder.decode(chunk))
        if self._raw is not None and self._size > MOST_CELL:
            return self._give_up()
        return b""

    def finish(self) -> bytes:
        """What the cells printed, the one that ran first in front."""
        if self._plain:
            return b""
        self._take(self._decoder.decode(b"", True), last=True)
        if self._raw is not None:
            return self._give_up()
        if not self._closed and not self._stopped:
            self.note = f"the notebook is cut off or damaged; its first {self._count:,} cells were read"
        elif self._cut and not self._stopped:
            which = f"cell {self._cut[0]} is" if len(self._cut) == 1 else f"{len(self._cut):,} cells are"
            self.note = f"{which} too large to be read whole; of what was printed there, the last was read"
        return self._text()

    def _take(self, text: str, *, last: bool = False) -> None:
        if self._closed or self._stopped:
            return
        self._waiting.append(text)
        self._size += len(text)
        if self._size < self._wanted and not last:
            return
        rest = self._cells("".join(self._waiting), last)
        self._waiting, self._size = [rest], len(rest)
        self._wanted = min(max(_FIRST_LOOK, 2 * len(rest)), MOST_CELL + 1)

    def _cells(self, text: str, last: bool) -> str:
        """Take the whole cells in `text`; gives what is left of it."""
        at = 0
        if not self._inside:
            begins = [match.end() for match in islice(_CELLS.finditer(text), _MOST_LISTS)]
            found = next((begin for begin in begins if _begins_cells(text, begin)), None)
            if found is None and last:  # there may be no cell at all
                found = next((begin for begin in begins if text[begin : begin + 1] == "]"), None)
            if found is None:
                return text
            self._inside, self._raw, at = True, None, found
        while not self._stopped:
            if self._large:
                after = self._large.feed(text[at:])
                if after is None:
                    if self._large.damaged:
                        self._stop(f"cell {self._count + 1} is damaged")
                    return ""
                self._keep_large(self._large)
                self._large, text, at = None, after, 0
            space = _NEXT.match(text, at)
            at = space.end() if space else at
            if text[at : at + 1] == "]":
                self._closed = True
                return ""
            is_bounded = _is_bounded(text, at)
            read = _value(text, at) if is_bounded else None
            if (read[1] if read else len(text)) - at > MOST_CELL or not is_bounded:
                ran = _RAN.search(text, at, at + _RAN_WITHIN)
                self._large = LargeCell(int(ran[1]) if ran else None)
            elif read is None:
                return text[at:]
            else:
                cell, at = read
                self._keep(cell)
        return ""

    def _counted(self) -> None:
        self._count += 1
        if self._count == MOST_CELLS:
            self._stop(f"it has more than {MOST_CELLS:,} cells")

    def _keep(self, cell: object) -> None:
        self._counted()
        if not isinstance(cell, dict):
            return
        number = next((cell[key] for key in ("execution_count", "prompt_number") if cell.get(key) is not None), None)
        ran = number if isinstance(number, int) and not isinstance(number, bool) else None
        listed = cell.get("outputs")
        outputs = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        texts = [_printed(one) for one in outputs]
        text = "".join(one if one.endswith("\n") else f"{one}\n" for one in texts if one).encode("utf-8", "replace")
        if not text and ran is None:
            return
        failed = any("traceback" in one or "ename" in one for one in outputs)
        code = (_joined(cell.get("source"), "") or _joined(cell.get("input"), ""))[:MOST_CODE] if failed else ""
        self._add(_Cell(ran, self._count, text, failed, code))

    def _keep_large(self, cell: LargeCell) -> None:
        self._counted()
        self._cut.append(self._count)
        self._add(_Cell(cell.ran, self._count, cell.text().encode("utf-8", "replace"), cell.failed, ""))

    def _add(self, cell: _Cell) -> None:
        self._kept += len(cell.text)
        if self._kept > MOST_KEPT_BYTES:
            self._stop(f"its cells printed more than {MOST_KEPT_BYTES >> 20} MiB")
        else:
            self._ran.append(cell)

    def _stop(self, why: str) -> None:
        self._stopped = True
        self.note = f"{why}; the notebook was read up to there"

    def _text(self) -> bytes:
        # A cell without a number goes with the one above it.
        keys: dict[int, tuple[int, int]] = {}
        last = 0
        for cell in self._ran:
            last = last if cell.ran is None else cell.ran
            keys[cell.place] = (last, cell.place)
        texts: list[bytes] = []
        parts: list[Part] = []
        times = Counter(cell.ran for cell in self._ran if cell.text)
        line = 1
        for cell in sorted(self._ran, key=lambda one: keys[one.place]):
            if cell.text:
                name = f"cell {cell.place} of {self._count}" if cell.ran is None else f"cell [{cell.ran}]"
                if cell.ran is not None and times[cell.ran] > 1:  # the kernel was restarted
                    name += f" ({cell.place} of {self._count})"
                parts.append(Part(line, name, cell.failed, cell.code))
                texts.append(cell.text)
                line += cell.text.count(b"\n")
        self.parts = tuple(parts)
        return b"".join(texts)

    def _give_up(self) -> bytes:
        self._plain = True
        given, self._raw, self._waiting = b"".join(self._raw or ()), None, []
        return given


class NotebookText(ChunkReader):
    """A reader of a notebook that gives what its cells printed; `source` gets the parts and the note."""

    def __init__(self, below: Raw, source: Source) -> None:
        super().__init__(below)
        self._source = source
        self._book: Notebook | None = Notebook()

    def following(self) -> bytes | None:
        """All of the text at once, or what is no notebook as it comes."""
        if self._book is None:
            return None
        chunk = self.take()
        if chunk:
            return self._book.feed(chunk)
        book, self._book = self._book, None
        text = book.finish()
        self._source.parts, self._source.note = book.parts, book.note or self._source.note
        return text


def _begins_cells(text: str, at: int) -> bool:
    """Whether a list that begins at `at` is one of cells, by the first of them."""
    if _CELL.match(text, at):
        return True
    read = _value(text, at) if _is_bounded(text, at) else None
    return read is not None and isinstance(read[0], dict) and "cell_type" in read[0]


def _is_bounded(text: str, at: int) -> bool:
    """Whether the JSON value that begins at `at` holds no more than MOST_VALUES, as far as it is there."""
    if sum(text.count(sign, at, at + MOST_CELL) for sign in "{[,") <= MOST_VALUES:
        return True
    depth = values = 0
    while values <= MOST_VALUES and (sign := _SIGN.search(text, at)):
        at = sign.end()
        if sign[0] == '"':
            at = end_of_string(text, at) + 1
            continue
        depth += (sign[0] in "{[") - (sign[0] in "}]")
        values += sign[0] in "{[,"
        if depth <= 0:
            break
    return values <= MOST_VALUES


def _value(text: str, at: int) -> tuple[object, int] | None:
    """The JSON value at `at` and where it ends; None where it is not whole."""
    try:
        value, end = _JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return value, end


def _printed(output: dict[str, object]) -> str:
    """The text of one output; of an error its traceback, or where there is none its last line."""
    for key, joint in (("traceback", "\n"), ("text", "")):
        found = _joined(output.get(key), joint)
        if found:
            return found
    if isinstance(output.get("ename"), str):
        value = output.get("evalue")
        return f"{output['ename']}: {value}" if isinstance(value, str) and value else str(output["ename"])
    data = output.get("data")
    return _joined(data.get("text/plain"), "") if isinstance(data, dict) else ""


def _joined(value: object, joint: str) -> str:
    if isinstance(value, list):
        return joint.join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""
