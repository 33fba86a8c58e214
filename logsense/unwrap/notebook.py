"""Notebook: what the cells of a saved notebook printed, in the order in which they ran.

The formats: https://nbformat.readthedocs.io/en/latest/format_description.html, and nbformat 3 as IPython wrote it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from itertools import islice

from logsense.model.line import Part, Places
from logsense.util.noun import NamedTuple

name = "notebook"

MOST_CELL = 64 << 20  # characters of a cell, images included; reading ends at a larger one
MOST_CONTAINERS = 1_000_000  # lists and objects in a cell: decoded, each takes many times its characters
MOST_KEPT_BYTES = 16 << 20  # printed by all cells
MOST_CELLS = 100_000
MOST_CODE = 20_000  # characters of a failed cell's code
PIECE_BYTES = 256 << 10  # decoded at a time
_MOST_BEFORE = 8 << 20  # bytes before the first cell
_MOST_LISTS = 100  # lists named "cells" that are tried
_CELLS = re.compile(r'"cells"\s*:\s*\[\s*')
_CELL = re.compile(r'\{\s*"cell_type"\s*:')  # as nbformat writes it, with sorted keys
_BETWEEN = re.compile(r"[\s,]*")
_ENDS = re.compile(r"[\s,\]]")  # a value in a list: a number in front of anything else goes on
_DECODER = json.JSONDecoder(strict=False)


class _Cell(NamedTuple):
    """A cell that ran: execution count (None if unknown), position in the notebook from 1, output, whether it failed,
    and the code if it did."""

    number: int | None
    place: int
    text: bytes
    failed: bool
    code: str


def begins(head: bytes) -> bool:
    """Return whether the first keys of a file that begins with `head` are those of a notebook."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and (
        b'"nbformat"' in head or (b'"cells"' in head and b'"cell_type"' in head)
    )


def step(_: bytes) -> Notebook:
    """Return what unwraps a notebook."""
    return Notebook()


class Notebook:
    """Take the bytes of a notebook and return what its cells printed, all of it at the end.

    Afterwards `places` says which lines belong to which cell, and `note` what went wrong. If the bytes turn out not to
    be a notebook, they are returned unchanged.
    """

    def __init__(self) -> None:
        self.places = Places()
        self.note: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._raw: list[bytes] | None = []  # all input, until the first cell is found
        self._raw_bytes = 0
        self._pieces: list[str] = []  # text from the next cell on
        self._size = self._enough = 0  # of the pieces, and so many that they may hold a whole cell
        self._closed = self._stopped = self._plain = False
        self._cells_run: list[_Cell] = []
        self._count = self._kept = 0

    def feed(self, chunk: bytes) -> bytes:
        """Return nothing as long as this may be a notebook, else the input."""
        if self._plain:
            return chunk
        for at in range(0, len(chunk), PIECE_BYTES):
            piece = chunk[at : at + PIECE_BYTES]
            if self._raw is not None:
                self._raw.append(piece)
                self._raw_bytes += len(piece)
            self._consume(self._decoder.decode(piece))
            if self._raw is not None and self._raw_bytes > _MOST_BEFORE:
                return self._give_up() + chunk[at + PIECE_BYTES :]
        return b""

    def finish(self) -> bytes:
        """Return what the cells printed, in the order in which they ran."""
        if self._plain:
            return b""
        self._consume(self._decoder.decode(b"", True), last=True)
        if self._raw is not None:
            return self._give_up()
        if not self._closed and not self._stopped:
            self.note = f"the notebook is truncated or damaged; only its first {self._count:,} cells were read"
        return self._text()

    def _consume(self, text: str, *, last: bool = False) -> None:
        """Consume the complete cells in the text so far. Of an incomplete one, it waits for twice as much."""
        if self._closed or self._stopped:
            return
        self._pieces.append(text)
        self._size += len(text)
        if self._size < self._enough and not last:
            return
        text, at = "".join(self._pieces), 0
        if text.count("{") + text.count("[") > MOST_CONTAINERS:
            self._stop(f"cell {self._count + 1} is too large to read")
        elif self._raw is not None:
            begin = _first_cell(text, last=last)
            if begin is not None:
                self._raw, at = None, begin
        while self._raw is None and not (self._closed or self._stopped):
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
            self._closed = text[at : at + 1] == "]"
            try:
                cell, end = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                break
            if end - at > MOST_CELL or not (last or _ENDS.match(text, end)):
                break
            at = end
            self._count += 1
            self._keep(cell)
        self._pieces, self._size = [text[at:]], len(text) - at
        self._enough = 2 * self._size
        if self._raw is None and self._size > MOST_CELL:
            self._stop(f"cell {self._count + 1} is damaged or too large to read")

    def _keep(self, cell: object) -> None:
        if self._count == MOST_CELLS:
            self._stop(f"it has more than {MOST_CELLS:,} cells")
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
        raw, self._raw, self._pieces = b"".join(self._raw or ()), None, []
        return raw


def _first_cell(text: str, *, last: bool) -> int | None:
    """Return where the first cell of a notebook begins; None if it is not found yet."""
    for found in islice(_CELLS.finditer(text), _MOST_LISTS):
        begin = found.end()
        if _CELL.match(text, begin) or (last and text[begin : begin + 1] == "]"):  # perhaps an empty notebook
            return begin
        try:
            first, _ = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        if isinstance(first, dict) and "cell_type" in first:
            return begin
    return None


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
