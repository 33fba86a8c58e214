"""What carries a log is taken off; what only looks like it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.unwrap import embedded, pages
from logsense.unwrap.paste import Paste

TRACE = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nKeyError: 'x'\n"


def _extracted(text: str) -> Paste:
    paste = Paste(text, range(1, text.count("\n") + 2))
    for shape in (*embedded.MAIL, *pages.SHAPES, *embedded.PROGRAMS):
        if shape.begins(paste.text):
            paste = shape.lines(paste)
    return paste


def extract(text: str) -> str:
    return _extracted(text).text


PYTEST = """\
=================================== FAILURES ===================================
>       return batch["labels"]
E       KeyError: 'labels'

src/train.py:31: KeyError
=========================== short test summary info ============================
"""


def test_pytest_names_the_exception_behind_an_e() -> None:
    assert "\nKeyError: 'labels'\n" in extract(PYTEST)


def test_pytest_is_known_by_its_exception_where_the_headings_are_not_pasted() -> None:
    text = "env/xla.py:80: in get\n    raise RuntimeError(\nE   RuntimeError: CUDA failed:\nE   Outdated cuDNN\n"
    assert extract(text).endswith("\nRuntimeError: CUDA failed:\nOutdated cuDNN\n")


def test_seconds_in_front_of_a_docker_build_s_lines_are_taken_off() -> None:
    step = "".join(f"#16 1.{n}81 {line}\n" for n, line in enumerate(TRACE.splitlines()))
    newer = "".join(f"12.{n}8 {line}\n" for n, line in enumerate(TRACE.splitlines()))
    for text in (step, newer):
        assert extract(f"{text}------\nDockerfile:27\n") == f"{TRACE}------\nDockerfile:27\n"


def test_numbers_above_no_rule_stay() -> None:
    text = "0.25 train loss\n0.31 test loss\n--------\n"
    assert extract(text) == text


def test_lines_behind_an_e_that_are_no_exception_stay() -> None:
    text = "Grades\nE   failed: 3\nE   left early\n"
    assert extract(text) == text


def test_powershell_puts_its_message_into_the_traceback() -> None:
    first, rest = TRACE.split("\n", 1)
    text = (
        f"python : {first}\nAt line:1 char:1\n+ python train.py 2>&1\n+ ~~~~~~~~~~~~~~~~~~~~\n"
        f"    + CategoryInfo          : NotSpecified: ({first}:String) [], RemoteException\n"
        f"    + FullyQualifiedErrorId : NativeCommandError\n \n{rest}"
    )
    assert _extracted(text) == (TRACE, [1, 8, 9, 10])


def test_a_log_below_a_heading_is_moved_to_the_left() -> None:
    indented = "".join(f"      {line}\n" for line in TRACE.splitlines())
    assert extract(f"terminated:\n  message: |\n{indented}  reason: Error\n") == (
        f"terminated:\n  message: |\n{TRACE}  reason: Error\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "E   A line of another program\n" * 3 + "\nE   KeyError: 'x'\n",
        # A page that a proxy answered with, in the midst of a log.
        "step 1\nstep 2\nstep 3\nstep 4\nerror 502: <html>\n<body><p>a</p><p>b</p>\n<p>c</p></body>\nstep 5\nstep 6\n",
        'step 1\n  Traceback (most recent call last):\n    File "a.py", line 1, in f\n  KeyError: 1\n'
        + "step 2\n" * 20,
        "x = a +=\nb =\n",
        TRACE,
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert extract(text) == text


LINES = [
    "+ a",
    "@@ -0,0 +1,3 @@",
    "E   KeyError: 1",
    "<p>x</p>",
    "</tr>",
    "  Traceback (most recent call last):",
]


@given(
    st.lists(
        st.sampled_from(
            [
                *LINES,
                'ts=1 msg="x\\""',
                "=3D=",
                "│ File: x",
                "  1   │ x",
                "At line:1 char:1",
                "+ ~~~",
                "    + CategoryInfo",
                "    + FullyQualifiedErrorId",
                "",
            ]
        )
    )
)
def test_every_line_has_a_number_and_they_rise(lines: list[str]) -> None:
    text = "\n".join(lines)
    said, numbers = _extracted(text)
    assert len(numbers) == said.count("\n") + 1
    assert [*numbers] == sorted(numbers)
    assert numbers[-1] <= text.count("\n") + 1
