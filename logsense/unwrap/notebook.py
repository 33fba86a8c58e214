"""Extracts what the cells of a saved notebook printed, in the order in which they ran.

The formats: https://nbformat.readthedocs.io/en/latest/format_description.html, and nbformat 3 as IPython wrote it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from itertools import islice

from logsense.model.line import Part, Places
from logsense.unwrap.large_cell import LargeCell, end_of_string
from logsense.util.noun import NamedTuple

MOST_CELL = 8 << 20  # characters of a cell that is decoded at once, images included
MOST_VALUES = 1_000_000  # JSON values in a cell: decoded, each takes many times its bytes
MOST_KEPT_BYTES = 16 << 20  # printed by all cells
MOST_CELLS = 100_000
MOST_CODE = 20_000  # characters of a failed cell's code
_MOST_LISTS = 100  # lists named "cells" that are tried
_CELLS = re.compile(r'"cells"\s*:\s*\[\s*')
_CELL = re.compile(r'\{\s*"cell_type"\s*:')  # as nbformat writes it, with sorted keys
_JSON = json.JSONDecoder(strict=False)
_SIGN = re.compile(r'["{}\[\],]')
_NEXT = re.compile(r"[\s,]*")
_EXECUTION_COUNT = re.compile(r'"(?:execution_count|prompt_number)"\s*:\s*(\d{1,9})\b')
_COUNT_WITHIN = 2000  # characters
_FIRST_LOOK = 1 << 16  # characters; the next look is at twice as many


class _Cell(NamedTuple):
    """A cell that ran: execution count (None if unknown), position in the notebook from 1, output, whether it failed,
    and the code if it did."""

    number: int | None
    place: int
    text: bytes
    failed: bool
    code: str


def is_notebook(head: bytes) -> bool:
    """Return whether the first keys of a file that begins with `head` are those of a notebook."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and (
        b'"nbformat"' in head or (b'"cells"' in head and b'"cell_type"' in head)
    )


class Notebook:
    """Takes the bytes of a notebook and returns what its cells printed, all of it at the end.

    Afterwards `places` says which lines belong to which cell, and `note` what went wrong. If the bytes turn out not to
    be a notebook, they are returned unchanged.
    """

    def __init__(self) -> None:
        self.places = Places()
        self.note: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._raw: list[bytes] | None = []  # all input, until a cell is found
        self._waiting: list[str] = []
        self._size, self._wanted = 0, _FIRST_LOOK
        self._inside = self._closed = self._stopped = self._plain = False
        self._large: LargeCell | None = None
        self._cells_run: list[_Cell] = []
        self._cut: list[int] = []
        self._count = self._kept = 0

    def feed(self, chunk: bytes) -> bytes:
        """Return nothing as long as this may be a notebook, else the input."""
        if self._plain:
            return chunk
        if self._raw is not None:
            self._raw.append(chunk)
        self._take(self._decoder.decode(chunk))
        if self._raw is not None and self._size > MOST_CELL:
            return self._give_up()
        return b""

    def finish(self) -> bytes:
        """Return what the cells printed, in the order in which they ran."""
        if self._plain:
            return b""
        self._take(self._decoder.decode(b"", True), last=True)
        if self._raw is not None:
            return self._give_up()
        if not self._closed and not self._stopped:
            self.note = f"the notebook is truncated or damaged; only its first {self._count:,} cells were read"
        elif self._cut and not self._stopped:
            which = f"cell {self._cut[0]} is" if len(self._cut) == 1 else f"{len(self._cut):,} cells are"
            self.note = f"{which} too large to read in full; only the end of the output was read"
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
        """Consume the complete cells in `text`; return the rest."""
        at = 0
        if not self._inside:
            begins = [match.end() for match in islice(_CELLS.finditer(text), _MOST_LISTS)]
            found = next((begin for begin in begins if _begins_cells(text, begin)), None)
            if found is None and last:  # perhaps an empty notebook
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
                ran = _EXECUTION_COUNT.search(text, at, at + _COUNT_WITHIN)
                self._large = LargeCell(int(ran[1]) if ran else None)
            elif read is None:
                return text[at:]
            else:
                cell, at = read
                self._keep(cell)
        return ""

    def _count_cell(self) -> None:
        self._count += 1
        if self._count == MOST_CELLS:
            self._stop(f"it has more than {MOST_CELLS:,} cells")

    def _keep(self, cell: object) -> None:
        self._count_cell()
        if not isinstance(cell, dict):
            return
        count = next((cell[key] for key in ("execution_count", "prompt_number") if cell.get(key) is not None), None)
        number = count if isinstance(count, int) and not isinstance(count, bool) else None
        listed = cell.get("outputs")
        outputs = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        texts = [_printed(one) for one in outputs]
        text = "".join(one if one.endswith("\n") else f"{one}\n" for one in texts if one).encode("utf-8", "replace")
        if not text and number is None:
            return
        failed = any("traceback" in one or "ename" in one for one in outputs)
        code = (_joined(cell.get("source"), "") or _joined(cell.get("input"), ""))[:MOST_CODE] if failed else ""
        self._add(_Cell(number, self._count, text, failed, code))

    def _keep_large(self, cell: LargeCell) -> None:
        self._count_cell()
        self._cut.append(self._count)
        self._add(_Cell(cell.number, self._count, cell.text().encode("utf-8", "replace"), cell.failed, ""))

    def _add(self, cell: _Cell) -> None:
        self._kept += len(cell.text)
        if self._kept > MOST_KEPT_BYTES:
            self._stop(f"its cells printed more than {MOST_KEPT_BYTES >> 20} MiB")
        else:
            self._cells_run.append(cell)

    def _stop(self, why: str) -> None:
        self._stopped = True
        self.note = f"{why}; the rest of the notebook was not read"

    def _text(self) -> bytes:
        # A cell without a number sorts with the one above it.
        keys: dict[int, tuple[int, int]] = {}
        last = 0
        for cell in self._cells_run:
            last = last if cell.number is None else cell.number
            keys[cell.place] = (last, cell.place)
        texts: list[bytes] = []
        times = Counter(cell.number for cell in self._cells_run if cell.text)
        for cell in sorted(self._cells_run, key=lambda one: keys[one.place]):
            if cell.text:
                name = f"cell {cell.place} of {self._count}" if cell.number is None else f"cell [{cell.number}]"
                if cell.number is not None and times[cell.number] > 1:  # the kernel was restarted
                    name += f" ({cell.place} of {self._count})"
                self.places.parts.append(Part(self.places.lines + 1, name, cell.failed, cell.code))
                self.places.add(1, cell.text.count(b"\n"))
                texts.append(cell.text)
        return b"".join(texts)

    def _give_up(self) -> bytes:
        self._plain = True
        raw, self._raw, self._waiting = b"".join(self._raw or ()), None, []
        return raw


def _begins_cells(text: str, at: int) -> bool:
    """Return whether the list at `at` is one of cells, judged by its first element."""
    if _CELL.match(text, at):
        return True
    read = _value(text, at) if _is_bounded(text, at) else None
    return read is not None and isinstance(read[0], dict) and "cell_type" in read[0]


def _is_bounded(text: str, at: int) -> bool:
    """Return whether the JSON value at `at`, as far as it is there, holds at most MOST_VALUES values."""
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
    """Return the JSON value at `at` and where it ends; None if it is incomplete."""
    try:
        value, end = _JSON.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return value, end


def _printed(output: dict[str, object]) -> str:
    """Return the text of one output; of an error its traceback or, without one, its last line."""
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
