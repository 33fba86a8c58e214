"""Every registered shape has a sample in the list of disguises, and none takes a log that a program wrote for its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from logsense.unwrap.paste import Paste, PasteShape
from logsense.unwrap.pasted import PASTED, is_paste, undo_pasting
from logsense.unwrap.streamed import STREAMED
from tests.shapes import SHAPES

if TYPE_CHECKING:
    from logsense.unwrap.shape import Shape

HERE = Path(__file__).parents[1]
LOGS = [HERE / "failing" / name for name in ("torch--key_error.log", "torch--sparse_unsupported.log")]
LINES = [path.read_text(encoding="utf-8").splitlines() for path in LOGS]
DISGUISED = [disguise(lines) for disguise in SHAPES.values() for lines in LINES]
# No log as a whole has these shapes: test_notebook.py, test_flight_recorder.py, test_event_record.py, test_pasted.py.
ELSEWHERE = {"notebook", "flight recorder", "GPU event records", "a traceback on one line"}


def _undoes(shape: PasteShape, text: str) -> bool:
    """Whether `shape` changes `text` after those in front of it."""
    paste = Paste(text, range(1, text.count("\n") + 2))
    for other in PASTED[: PASTED.index(shape)]:
        paste = other.lines(paste) if other.begins(paste.text) else paste
    return shape.begins(paste.text) and shape.lines(paste).text != paste.text


@pytest.mark.parametrize("shape", [shape for shape in PASTED if shape.name not in ELSEWHERE], ids=lambda one: one.name)
def test_a_shape_of_a_paste_is_among_the_disguises(shape: PasteShape) -> None:
    assert any(_undoes(shape, text) for text in DISGUISED)


@pytest.mark.parametrize(
    "shape", [shape for shape in STREAMED if shape.name not in ELSEWHERE], ids=lambda one: one.name
)
def test_a_shape_of_a_whole_log_is_among_the_disguises(shape: Shape) -> None:
    assert any(shape.begins(text.encode()) for text in DISGUISED)


def test_a_log_that_a_program_wrote_is_left_alone() -> None:
    for path in [*HERE.glob("failing/*.log"), *HERE.glob("healthy/*.log")]:
        data = path.read_bytes()
        assert not any(shape.begins(data) for shape in STREAMED), path.name
        assert not is_paste(data) or undo_pasting(data) is None, path.name
