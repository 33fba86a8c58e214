"""A traceback whose first lines were cut off is one all the same."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.unwrap.cut_off import SHAPES
from logsense.unwrap.paste import Paste

FRAMES = """\
  File "/app/train.py", line 88, in main
    x = fetch(queue)
        ^^^^^^^^^^^^
  File "/app/data.py", line 12, in fetch
    return queue.get(timeout=5)
"""


def completed(text: str) -> Paste:
    (shape,) = SHAPES
    return shape.lines(Paste(text, range(1, text.count("\n") + 2)))


@pytest.mark.parametrize(
    "error", ["EOFError", "queue.Empty", "TimeoutError", "KeyboardInterrupt", "AssertionError", "StopIteration"]
)
@pytest.mark.parametrize("before", ["", "    main()\n", "step 1\nstep 2\n"])
def test_the_cause_is_that_of_the_whole(error: str, before: str, built_in_catalog: Catalog) -> None:
    def first(text: str) -> str:
        return explain_text(text.encode(), built_in_catalog).diagnoses[0].cause

    whole = f"Traceback (most recent call last):\n{FRAMES}{error}\n"
    assert first(f"{before}{FRAMES}{error}\n") == first(whole)


def test_a_prefix_stands_in_front_of_the_header_too() -> None:
    lines = [f"22:58:31 {line}" for line in (*FRAMES.splitlines(), "EOFError")]
    text = "\n".join(lines)
    whole, numbers = completed(text)
    assert whole == f"22:58:31 Traceback (most recent call last):\n{text}"
    assert [*numbers] == [1, *range(1, text.count("\n") + 2)]


def test_one_frame_without_its_code_is_enough_above_an_exception() -> None:
    text = '  File "<stdin>", line 1, in <module>\nValueError: a value that is wrong\n'
    assert completed(text).text == f"Traceback (most recent call last):\n{text}"


@pytest.mark.parametrize(
    "text",
    [
        f"Thread 0x7f (most recent call first):\n{FRAMES}EOFError\n",
        f"Traceback of forward call that caused the error:\n{FRAMES}EOFError\n",
        f"{FRAMES}and then it went on\n",
        FRAMES,
        "",
    ],
)
def test_other_frames_get_none(text: str) -> None:
    assert completed(text).text == text


def test_frames_that_are_all_are_a_traceback_that_breaks_off(built_in_catalog: Catalog) -> None:
    frames = "".join(f'  File "/home/ana/{name}.py", line 5, in {name}\n    self.{name}()\n' for name in "abc")
    report = explain_text(frames.encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert [(line.line, line.text) for line in report.unexplained] == [(6, "self.c()")]
    assert "breaks off" in report.unexplained[0].says
