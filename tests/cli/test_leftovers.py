"""A report begins a paragraph of its own, in a terminal as it was before the job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from logsense.cli.leftovers import TAIL_BYTES, Leftovers, leftovers_of
from logsense.cli.output import note

PROGRESS = b"step 1\n\x1b[31mEpoch 3:  45%|####     | 45/100"


@pytest.mark.parametrize(
    ("pieces", "undone"),
    [
        ([], ""),
        ([b"done\n"], "\n"),
        ([b"Killed"], "\n\n"),
        ([b"step 1\r 45%|###"], "\n\n"),
        ([PROGRESS], "\x1b[0m\n\n"),
        ([b"\x1b[31mred\x1b[0m\n"], "\n"),
        ([b"\x1b[31mred\x1b[m\n"], "\n"),
        ([b"red\n\x1b[0m"], "\n"),
        ([b"\x1b[?25lworking\n"], "\x1b[?25h\n\n"),
        ([b"\x1b[?25lworking\n\x1b[?25h"], "\n"),
        ([b"\x1b[?1049h\x1b[H\x1b[2Jtable\n"], "\x1b[?1049l\n\n"),
        ([b"\x1b[?10", b"49htable\n"], "\x1b[?1049l\n\n"),
        ([b"\x1b[?1049h", b"x" * 10_000, b"\n"], "\x1b[?1049l\n\n"),
        ([b"\x1b[?1000;1006;25h\n"], "\x1b[?1000l\x1b[?1006l\n\n"),
        ([b"\xff\xfe\x1b["], "\n\n"),
    ],
)
def test_what_is_left(pieces: list[bytes], undone: str) -> None:
    left = Leftovers()
    for data in pieces:
        left.feed(data)
    assert left.undone() == undone


@pytest.mark.parametrize(
    ("output", "end"), [(b"", ""), (b"done\n", ""), (b"\x1b[31m 45%|###", "\n"), (b"a\n\x1b[0m", "")]
)
def test_a_note_begins_a_line(output: bytes, end: str, capsys: pytest.CaptureFixture[str]) -> None:
    left = Leftovers()
    left.feed(output)
    note("compiling", line_end=left.line_end())
    assert capsys.readouterr().err == f"{end}logsense: compiling\n"


def test_of_a_record(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    paths[0].write_bytes(b"first")
    paths[1].write_bytes(b"\x1b[?1049h" + b"x" * (TAIL_BYTES - 8))
    paths[2].write_bytes(b"last\n")
    assert leftovers_of([(str(path), 0, 0) for path in paths]).undone() == "\x1b[?1049l\n\n"
    assert leftovers_of([(str(tmp_path / "gone"), 0, 0)]).undone() == ""


@pytest.mark.parametrize("command", [["run", sys.executable, "-c"], []], ids=["run", "pipe"])
def test_the_report_is_a_paragraph(tmp_path: Path, command: list[str]) -> None:
    program = f"import sys; sys.stdout.buffer.write({PROGRESS!r}); sys.exit(3)"
    logsense = [sys.executable, "-m", "logsense", *command]
    if command:
        done = subprocess.run([*logsense, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    else:
        done = subprocess.run(logsense, input=PROGRESS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output, gap, report = done.stdout.partition(b"\x1b[0m\n\n")
    assert output == PROGRESS
    assert gap
    assert report


def test_a_report_in_another_place_begins_with_its_first_line() -> None:
    done = subprocess.run([sys.executable, "-m", "logsense"], input=PROGRESS, capture_output=True, check=False)
    assert done.stdout == PROGRESS
    assert not done.stderr.startswith((b"\n", b"\x1b"))
