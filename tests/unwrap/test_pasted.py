"""What a clipboard does to a log is undone, and a log that was not pasted is left alone."""

from __future__ import annotations

import pytest

from logsense.unwrap.pasted import MOST_BYTES, is_paste, undo_pasting


def fixed(text: str) -> str:
    done = undo_pasting(text.encode())
    return text if done is None else done[0].decode()


def placed(text: str) -> list[tuple[str, int]]:
    """The lines, each with its number in `text`."""
    done = undo_pasting(text.encode())
    assert done
    return [(line, done[1].number(at)) for at, line in enumerate(done[0].decode().split("\n"), 1)]


def test_what_a_program_wrote_to_a_file_is_no_paste() -> None:
    assert is_paste(b"step 1\r\nstep 2\r\n")
    assert not is_paste(b"10%\r20%\r30%\n")
    assert not is_paste(b"x\n" * MOST_BYTES)


def test_html() -> None:
    assert fixed("File &quot;a.py&quot;, in &lt;module&gt;") == 'File "a.py", in <module>'
    assert fixed("one &amp; only") == "one &amp; only"
    assert fixed("&amp;lt;module&amp;gt; &amp;#39;a&amp;#39;") == "<module> 'a'"
    assert fixed("<pre><span class=ansi-red-fg>ValueError</span>: &#x27;a&#39; &#8217;") == "ValueError: 'a' &#8217;"


def test_markdowns_escapes() -> None:
    text = "File a.py in \\_\\_init\\_\\_\nRuntimeError: \\[8, 4\\] \\<x\\>"
    assert fixed(text) == "File a.py in __init__\nRuntimeError: [8, 4] <x>"
    kept = "FutureWarning: invalid escape sequence '\\_' in my_pattern = '[a\\_b]'"
    assert fixed(kept) == kept


def test_seconds_of_a_build_step() -> None:
    assert fixed("1.21 KeyError: 'x'\n------\nDockerfile:27\n") == "KeyError: 'x'\n------\nDockerfile:27\n"
    kept = "1.21 KeyError: 'x'\n-------\n"
    assert fixed(kept) == kept


def test_words_in_bold() -> None:
    assert fixed("**RuntimeError: CUDA out of memory.** Tried 2 GiB\n**Killed**\n") == (
        "RuntimeError: CUDA out of memory. Tried 2 GiB\nKilled\n"
    )
    for kept in (
        "x = f(**a) ** 2\nmodel(x, **inputs, **more)\n",
        "***** train metrics *****\n",
        "make: *** [ops.o] Error 1\n ** On entry to SGEMM parameter 8 had an illegal value\n",
        "tensorflow: ****____**__***\n",
    ):
        assert fixed(kept) == kept


def test_each_line_in_backticks() -> None:
    text = '`Traceback (most recent call last):`\n`  File "a.py", line 1, in f`\n`ValueError: bad`\n'
    assert fixed(text) == text.replace("`", "")
    assert fixed("`PermissionError: no access.`\n") == "PermissionError: no access.\n"
    assert fixed("use `a`\n`b` or `c`\nd\n") == "use `a`\n`b` or `c`\nd\n"


def test_a_mark_whose_other_half_is_missing() -> None:
    assert fixed("  x = f()\nMemoryError`\n") == "  x = f()\nMemoryError\n"
    assert fixed("**Traceback (most recent call last):\n  x = f()\nMemoryError**") == (
        "Traceback (most recent call last):\n  x = f()\nMemoryError"
    )
    for kept in ("a `b` c `d`\n", "see\n```\n", "*** JOB 3 CANCELLED ***\n", "`\n", "a\n`\n"):
        assert fixed(kept) == kept


def test_quotes() -> None:
    text = '> Traceback (most recent call last):\n>   File "a.py", line 1, in f\n> > ValueError: bad\n'
    assert fixed(text) == 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: bad\n'


def test_prompts_are_no_quotes() -> None:
    text = ">>> import torch\n>>> torch.zeros(1).cuda()\nRuntimeError: bad\n"
    assert undo_pasting(text.encode()) is None


@pytest.mark.parametrize("mark", ["{}: ", "{} | ", "{:>4}\t", "{:>4}  "])
def test_line_numbers(mark: str) -> None:
    lines = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "    g()", "ValueError: bad", "end"]
    text = "\n".join(mark.format(at) + line for at, line in enumerate(lines, 118))
    assert fixed(text) == "\n".join(lines)


def test_numbered_steps_are_no_line_numbers() -> None:
    text = "".join(f"{at} loss 0.{at}\n" for at in range(9))
    assert undo_pasting(text.encode()) is None


def wrap(text: str, width: int) -> str:
    return "\n".join(
        "\n".join([line[at : at + width] for at in range(0, len(line), width)] or [""]) for line in text.split("\n")
    )


MESSAGE = (
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.78 GiB total capacity; 13.04 GiB already"
    " allocated; 1.19 GiB free; 13.30 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try"
    " setting max_split_size_mb to avoid fragmentation."
)
LOG = f"""\
Traceback (most recent call last):
  File "/home/user/miniconda3/envs/a-rather-long-name/lib/python3.10/site-packages/torch/nn/modules/module.py", line 1
    return forward_call(*args, **kwargs)
{MESSAGE}
next
"""


@pytest.mark.parametrize("width", [72, 80, 100, 117])
def test_terminal_width(width: int) -> None:
    wrapped = wrap(LOG, width)
    assert fixed(wrapped) == LOG
    number = next(at for at, line in enumerate(wrapped.split("\n"), 1) if line.startswith("RuntimeError"))
    assert dict(placed(wrapped))[MESSAGE] == number


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        "".join(f"Failed to initialize CUDA device #10{at}: CUDA driver version is insufficient\n" for at in range(9)),
        "".join("=" * 80 + f"\nrun {at}\n" for at in range(9)),
        "".join("|" + " " * 77 + f"|\n| {at}{' ' * 75}|\n" for at in range(9)),
        "".join(f"[2026-11-20 10:00:0{at},123] [INFO] a message of always the same length, sixty\n" for at in range(9)),
        "short\nlines\n",
        "",
    ],
)
def test_unwrapped_text_is_left_alone(text: str) -> None:
    assert undo_pasting(text.encode()) is None


def test_escaped_string() -> None:
    text = "'Traceback (most recent call last):\\n  File \\\"a.py\\\", line 1, in f\\nValueError: bad\\n'"
    assert fixed(text).split("\n")[1] == '  File "a.py", line 1, in f'


def test_bytes_that_are_no_text() -> None:
    assert undo_pasting(b"\xff\xfe\0&lt;") is None


def test_curly_quotes_become_straight_where_all_are_curly() -> None:
    assert fixed("File “a.py”, line 1, in f\n") == 'File "a.py", line 1, in f\n'
    assert fixed("File „a.py“, line 1\n") == 'File "a.py", line 1\n'
    assert fixed("an unspeciﬁed ﬂag \"x\" 'y'") == "an unspecified flag \"x\" 'y'"
    assert undo_pasting("gcc: error: ‘x’ in \"y\" and 'z'\n".encode()) is None
