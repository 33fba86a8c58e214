"""Notebooks of both formats, whole, truncated and damaged: text and parts do not depend on the pieces."""

from __future__ import annotations

import json
from unittest.mock import patch

from logsense.unwrap import notebook
from logsense.unwrap.notebook import Notebook
from tests.fuzz.seeds import logs


def seeds() -> list[bytes]:
    """Return notebooks, as several programs save them, whose cells printed the beginnings of real logs."""
    found = []
    for text in logs()[:12]:
        lines = text.decode("utf-8", "replace").splitlines(keepends=True)[:12]
        outputs: list[dict[str, object]] = [
            {"output_type": "stream", "name": "stderr", "text": lines},
            {"output_type": "error", "ename": "ValueError", "evalue": "x", "traceback": lines},
            {"output_type": "execute_result", "data": {"text/plain": "x", "image/png": "aGVsbG8="}},
            {"output_type": "pyerr", "ename": "ValueError", "evalue": None, "traceback": []},
        ]
        cells: list[dict[str, object]] = [
            {"cell_type": "code", "execution_count": number, "metadata": {}, "outputs": [output], "source": lines}
            for number, output in zip((7, None, 2, "x"), outputs, strict=True)
        ]
        new = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"cells": [1]}, "cells": cells}
        old = {"nbformat": 3, "worksheets": [{"cells": [{"prompt_number": 3, **cell} for cell in cells]}]}
        found += [json.dumps(book, indent=indent).encode() for book in (new, old) for indent in (None, 1)]
    return found


def run(data: bytes) -> None:
    """Read `data` whole and in two pieces, also with cells that are too large."""
    _take(data)
    with patch.object(notebook, "MOST_CELL", 300):
        _take(data)


def _take(data: bytes) -> None:
    whole, cut = Notebook(), Notebook()
    text = whole.feed(data) + whole.finish()
    middle = len(data) // 2
    assert cut.feed(data[:middle]) + cut.feed(data[middle:]) + cut.finish() == text, "a cut changes the text"
    assert (whole.places.parts, whole.note) == (cut.places.parts, cut.note), "a cut changes the parts"
    firsts = [part.first_line for part in whole.places.parts]
    assert firsts == sorted(set(firsts)), "parts overlap"
    assert not firsts or (firsts[0] == 1 and firsts[-1] <= text.count(b"\n")), "a part outside of the text"
