"""A traceback whose first lines were cut off is one all the same."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.unwrap.cut_off import with_cell_header, with_exception, with_header
from logsense.unwrap.paste import Paste

FRAMES = """\
  File "/app/train.py", line 88, in main
    x = fetch(queue)
        ^^^^^^^^^^^^
  File "/app/data.py", line 12, in fetch
    return queue.get(timeout=5)
"""


def pasted(text: str) -> Paste:
    return Paste(text, range(1, text.count("\n") + 2))


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
    whole, numbers = with_header(pasted(text))
    assert whole == f"22:58:31 Traceback (most recent call last):\n{text}"
    assert [*numbers] == [1, *range(1, text.count("\n") + 2)]


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
    assert with_header(pasted(text)).text == text


def test_frames_that_are_all_are_a_traceback_that_breaks_off(built_in_catalog: Catalog) -> None:
    frames = "".join(f'  File "/home/ana/{name}.py", line 5, in {name}\n    self.{name}()\n' for name in "abc")
    report = explain_text(frames.encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert [(line.line, line.text) for line in report.unexplained] == [(6, "self.c()")]
    assert "breaks off" in report.unexplained[0].says


HEAD = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    '
RAISES = 'raise RuntimeError("CUDA error: no kernel image is available for execution on the device")\n'


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (RAISES, "env.gpu-arch-unsupported"),
        (HEAD + RAISES, "env.gpu-arch-unsupported"),
        ("    assert os.path.isfile(args.model), 'No folder of checkpoints was found!'\n", "storage.file-missing"),
        (f"{HEAD}assert os.path.exists(path)\n", "storage.file-missing"),
        (f"{HEAD}raise EOFError\n", "storage.corrupt-file"),
        (f"{HEAD}raise KeyboardInterrupt() from error\n", "scheduler.cancelled"),
        (
            f"{HEAD}assert path.exists(), f'No configuration at {{path}}'\n           ^^^^^^^^^^^^^\n",
            "storage.file-missing",
        ),
    ],
)
def test_what_a_last_line_raises_or_asserts_is_an_exception(text: str, cause: str, built_in_catalog: Catalog) -> None:
    assert explain_text(text.encode(), built_in_catalog).diagnoses[0].cause == cause


@pytest.mark.parametrize(
    "text",
    [
        "assert len(names) == 3\n",
        "def check(loss):\n    assert math.isfinite(loss), 'the loss is not finite'\n",
        'assert size % 2 == 0, f"size {size} is odd"\n',
        'raise ValueError(f"size {size} is odd")\n',
        'raise ValueError("size %d is odd" % size)\n',
        "raise\n",
        "raise error\n",
        "raise EOFError\n",
        HEAD + "raise self.error\n",
    ],
)
def test_what_is_to_be_filled_in_is_none(text: str) -> None:
    assert with_exception(pasted(text)).text == text


@pytest.mark.parametrize("between", ["", "     64     return y\n\n"])
def test_an_arrow_of_a_notebook_gets_a_header(between: str, built_in_catalog: Catalog) -> None:
    code = f"---> 63     y = to_categorical(y, n_classes)\n{between}"
    text = f"{code}IndexError: index 4 is out of bounds for axis 1 with size 3\n"
    assert explain_text(text.encode(), built_in_catalog).diagnoses[0].cause == "code.index-out-of-range"


@pytest.mark.parametrize(
    "text", ["---> 63 files left\nand on it goes\n", "---> 63 y = f(x)\n", "---> 3\nOSError: bad\n"]
)
def test_other_arrows_get_none(text: str) -> None:
    assert with_cell_header(pasted(text)).text == text
