"""Lines that were cut at a width are put together again; what was never cut stays as it is."""

from __future__ import annotations

import textwrap

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.unwrap import wrapped
from logsense.unwrap.paste import Paste

LOG = """\
Traceback (most recent call last):
  File "/home/jo/miniconda3/envs/train/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1787, in _call_impl
    return self._call_impl(*args, **kwargs)
  File "/home/jo/miniconda3/envs/train/lib/python3.11/site-packages/torch/nn/modules/conv.py", line 560, in _conv_forward
    return F.conv2d(
           ^^^^^^^^^
RuntimeError: Input type (float) and bias type (c10::Half) should be the same
"""


def between_words(text: str, width: int) -> str:
    return "".join(
        f"{piece}\n" for line in text.splitlines() for piece in textwrap.wrap(line, width, break_on_hyphens=False)
    )


def hard(text: str, width: int, *, padded: bool = False) -> str:
    pieces = [line[at : at + width] for line in text.splitlines() for at in range(0, len(line), width)]
    return "".join(f"{piece.ljust(width) if padded else piece}\n" for piece in pieces)


def unwrap(text: str) -> str:
    return wrapped.unwrap(Paste(text, range(1, text.count("\n") + 2))).text


def words(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("width", [100, 110])
def test_cut_between_words(width: int) -> None:
    cut = between_words(LOG * 3, width)
    assert words(unwrap(cut)) == words(LOG * 3)
    paste = wrapped.unwrap(Paste(cut, range(1, cut.count("\n") + 2)))
    shown = cut.split("\n")
    assert all(line.startswith(shown[at - 1]) for line, at in zip(paste.text.split("\n"), paste.numbers, strict=True))


@pytest.mark.parametrize("width", [72, 80, 100])
def test_a_terminals_copy_with_blanks_up_to_its_width(width: int) -> None:
    assert words(unwrap(hard(LOG * 3, width, padded=True))) == words(LOG * 3)


def test_a_single_cut_proves_nothing() -> None:
    cut = "RuntimeError: shape '[8, 18432]' is invalid for input of siz\ne 200704\n"
    assert unwrap(cut) == cut


def test_a_column_in_front_of_all_lines_is_no_rest_of_a_line() -> None:
    text = "".join(f"0: {line}\n" for line in ("I0000 starting " + "x" * 80, *LOG.splitlines()))
    assert unwrap(text) == text


def test_a_time_may_be_the_rest_of_a_line(built_in_catalog: Catalog) -> None:
    text = "slurmstepd: error: *** STEP 56580271.extern ON pgpu0301 CANCELLED AT\n2020-08-20T10:43:31 DUE TO TIME LIMIT ***\n"
    assert explain_text(text.encode(), built_in_catalog).diagnoses[0].cause == "scheduler.time-limit"


@pytest.mark.parametrize(
    ("cut", "width"),
    [(between_words, 60), (between_words, 80), (between_words, 132), (hard, 72), (hard, 80), (hard, 132)],
)
def test_a_cut_message_is_understood(cut: object, width: int, built_in_catalog: Catalog) -> None:
    assert callable(cut)
    for text in (LOG, LOG.splitlines()[-1] + "\n"):
        assert explain_text(cut(text, width).encode(), built_in_catalog).diagnoses[0].cause == "code.dtype-mismatch"


@pytest.mark.parametrize("width", [80, 120, 132])
def test_a_single_cut_at_the_width_of_a_terminal(width: int) -> None:
    text = f"Traceback (most recent call last):\nOSError: {'libcusolver.so.9.9: no such file, ' * 4}in any folder\n"
    assert unwrap(hard(text, width)) == text


PROSE = "".join(f"line {at}: {'word ' * (at % 17)}\n" for at in range(60))
ROWS = "".join(
    f"{name:<22}{'float32':<21}{'cuda:0':<20}{at:>18}\n" for at, name in enumerate(("alpha", "beta", "gamma"))
)
SUMS = "".join(f"{at * 7919:064x}  shard-{at:03}.tar.gz\n" for at in range(6))
BARS = "".join(
    f"Obtained frames {at}\nEvaluation  [ {at}/2007]  eta: 1:03:54    time: 3.0028  data: 0.0789  max mem: 17330\n"
    for at in range(100, 140)
)
AGAIN = f"RuntimeError: the shard is {'too ' * 14}long for the reader to hold\nread again\n" * 2
TABLE = "".join(f"{name:<30}{'x' * 40}\n" for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta"))


@pytest.mark.parametrize(
    "text",
    [AGAIN, BARS, LOG, LOG * 5, PROSE, TABLE, ROWS + "in all 3\n", SUMS + "done\n", "a" * 500 + "\nb\n", "\n\n", "x"],
)
def test_what_was_not_cut_stays(text: str) -> None:
    assert unwrap(text) == text


def test_a_sentence_after_the_longest_line_is_no_rest_of_it() -> None:
    text = f"ImportError: a>=4.41,<=4.45 is needed for {'this module ' * 6}and a==4.45.2 was found.\nTo mend it: pip install a\n"
    assert unwrap(text) == text
