"""A saved notebook is what its cells printed, in the order in which they ran, and places in it are cells."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense import explain
from logsense.model.line import Part, Places, place_in
from logsense.pipeline import Stream, explain_text
from logsense.render.formats import render
from logsense.render.layout import Look as Appearance
from logsense.sources.file import is_plain
from logsense.sources.folder import without_examples
from logsense.unwrap import notebook
from logsense.unwrap.notebook import Notebook

TRACEBACK = [
    "\x1b[0;31m" + "-" * 75 + "\x1b[0m",
    "\x1b[0;31mRuntimeError\x1b[0m                              Traceback (most recent call last)",
    "Cell \x1b[0;32mIn[12], line 3\x1b[0m\n\x1b[0;32m----> 3\x1b[0m loss \x1b[38;5;241m=\x1b[39m model(x)\n",
    "\x1b[0;31mRuntimeError\x1b[0m: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)",
]
FAILED = {"output_type": "error", "ename": "RuntimeError", "evalue": "mat1 and mat2 …", "traceback": TRACEBACK}


def cell(ran: int | None, *outputs: object) -> dict[str, object]:
    """A code cell with its outputs; a text stands for what it printed."""
    made = [
        {"output_type": "stream", "name": "stdout", "text": one} if isinstance(one, str) else one for one in outputs
    ]
    return {"cell_type": "code", "execution_count": ran, "metadata": {}, "source": ["x = 1"], "outputs": made}


def book(*cells: object, **more: object) -> dict[str, object]:
    return {"cells": [*cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}


def saved(value: object, indent: int | None = 1) -> bytes:
    return json.dumps(value, indent=indent).encode()


class Read(NamedTuple):
    text: bytes
    parts: tuple[Part, ...]
    note: str


def read(data: bytes, size: int = 1 << 30) -> Read:
    """What a notebook that is fed in pieces of `size` comes to."""
    found = Notebook()
    pieces = [found.feed(data[at : at + size]) for at in range(0, len(data), size)]
    text = b"".join([*pieces, found.finish()])
    return Read(text, tuple(found.places.parts), found.note or "")


def text_of(*cells: object) -> bytes:
    return read(saved(book(*cells))).text


def test_each_kind_of_output() -> None:
    shown = {"output_type": "execute_result", "data": {"text/plain": ["4", "2"], "image/png": "iVBORw0KGgo="}}
    old = {"output_type": "pyout", "text": ["old"]}
    bare = {"output_type": "error", "ename": "KeyboardInterrupt", "evalue": "", "traceback": []}
    named = {"output_type": "pyerr", "ename": "ValueError", "evalue": "bad"}
    listed = {"output_type": "stream", "text": ["one\n", "two"]}
    assert (
        text_of(cell(1, listed, shown, old, bare, named)) == b"one\ntwo\n42\nold\nKeyboardInterrupt\nValueError: bad\n"
    )
    assert text_of(cell(1, FAILED)).decode() == "\n".join(TRACEBACK) + "\n"
    assert text_of({"cell_type": "markdown", "source": "# x"}, cell(1), cell(2, {"data": 3}, 4, {"text": 5})) == b""


def test_cells_stand_in_the_order_in_which_they_ran() -> None:
    found = read(saved(book(cell(7, "d\nd\n"), cell(None, "e\n"), cell(2, "a\n"), {"cell_type": "raw"}, cell(3, "b"))))
    assert found.text == b"a\nb\nd\nd\ne\n"
    assert found.parts == (Part(1, "cell [2]"), Part(2, "cell [3]"), Part(3, "cell [7]"), Part(5, "cell 2 of 5"))
    assert not found.note


def test_the_format_of_ipython() -> None:
    cells = [{"cell_type": "code", "prompt_number": 4, "outputs": [{"output_type": "stream", "text": "x\n"}]}]
    found = read(saved({"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": cells, "metadata": {}}]}))
    assert (found.text, found.parts) == (b"x\n", (Part(1, "cell [4]"),))


def test_what_stands_before_the_cells_makes_no_difference() -> None:
    widgets = {"cells": [1], "state": {"a": {"cells": ["x"], "text": '{"cells": [{"cell_type": 1}]}' * 9000}}}
    colab = {"nbformat": 4, "metadata": {"widgets": widgets}, "cells": [cell(1, "x\n")]}
    assert read(saved(colab, None), 5000).text == b"x\n"


@pytest.mark.parametrize("data", [b'{"nbformat": 4, "a": ', b'{"nbformat": 4, "cells": 3}', b'{"nbformat": 4} rest\n'])
def test_what_is_no_notebook_is_given_as_it_came(data: bytes) -> None:
    assert read(data, 7).text == data
    assert not read(data, 7).parts


def test_what_was_cut_off_is_read_as_far_as_it_goes() -> None:
    data = saved(book(cell(1, "x\n"), cell(2, "y\n"), cell(3, "z\n")))
    found = read(data[: data.index(b"z")])
    assert found.text == b"x\ny\n"
    assert found.note == "the notebook is truncated or damaged; only its first 2 cells were read"


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MOST_CELL", 200_000)
    monkeypatch.setattr(notebook, "MOST_KEPT_BYTES", 300_000)
    many = read(saved(book(*(cell(n, "x" * 99_999) for n in range(9)))), 50_000)
    assert len(many.text) == 300_000
    assert "its cells printed more than" in many.note
    never = b'{"nbformat": 4, "metadata": "' + b"x" * 900_000
    assert read(never, 50_000).text == never


BARS = {"output_type": "stream", "name": "stderr", "text": [f'{at}%|█\\ "{at}\r' for at in range(50_000)]}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("size", [1009, 50_000, 1 << 30])
def test_a_cell_that_is_too_large_ends_the_reading(
    monkeypatch: pytest.MonkeyPatch, size: int, indent: int | None
) -> None:
    monkeypatch.setattr(notebook, "MOST_CELL", 200_000)
    monkeypatch.setattr(notebook, "PIECE_BYTES", 1 << 16)
    found = read(saved(book(cell(1, "x\n"), cell(2, BARS, FAILED), cell(4, "z\n")), indent), size)
    assert found.text.decode() == "x\n"
    assert [(part.name, part.failed) for part in found.parts] == [("cell [1]", False)]
    assert found.note == "cell 2 is damaged or too large to read; the rest of the notebook was not read"


@pytest.mark.parametrize("damage", [']"', '"x": [}', "[" * 2000, '"' + "A" * 300_000 + '\\u12" '])
def test_a_damaged_cell_is_told(damage: str) -> None:
    data = saved(book(cell(1, "x\n"), cell(2, BARS), cell(3, "z\n"))).decode()
    at = data.index('"49999') - 40
    found = read((data[:at] + damage + data[at:]).encode(), 5000)
    assert found.text.startswith(b"x\n")
    assert found.note


def test_a_cell_of_too_many_values_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MOST_CONTAINERS", 1000)
    monkeypatch.setattr(notebook, "PIECE_BYTES", 1000)
    quotes = 'a "quoted, [text] {and} \\\\'
    many = [cell(n, *(["x, y [z]\n"] * 5), quotes) for n in range(1, 50)]
    for size in (3000, 1 << 30):
        assert not read(saved(book(*many), None), size).note
        found = read(saved(book(cell(1, "x\n"), {**cell(2, "y\n"), "metadata": {"a": [{}] * 2000}}), None), size)
        assert (found.text, found.note) == (
            b"x\n",
            "cell 2 is too large to read; the rest of the notebook was not read",
        )


def test_a_large_cell_is_decoded_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    decode = notebook._DECODER.raw_decode

    def counted(text: str, at: int) -> tuple[object, int]:
        decoded.append(len(text) - at)
        return decode(text, at)

    monkeypatch.setattr(notebook._DECODER, "raw_decode", counted)
    data = saved(book(cell(1, "x\n"), cell(2, BARS)))
    assert read(data, 1000).text.count(b"\r") == 50_000
    assert sum(decoded) < 5 * len(data)


def test_an_empty_list_of_cells_elsewhere_is_not_the_notebooks() -> None:
    assert read(saved({"metadata": {"cells": []}, **book(cell(1, "x\n"))})).text == b"x\n"
    assert read(saved(book())) == Read(b"", (), "")


def test_cells_of_a_kernel_that_was_restarted_have_names_of_their_own(tmp_path: Path) -> None:
    cells = [cell(1, *["x\n"] * 7), failed(1, "a", "KeyError", "'a'"), failed(2, "b", "KeyError", "'b'")]
    (tmp_path / "train.ipynb").write_bytes(saved(book(*cells)))
    found = read(saved(book(*cells)))
    assert [part.name for part in found.parts] == ["cell [1] (1 of 3)", "cell [1] (2 of 3)", "cell [2]"]
    shown = render(explain(tmp_path / "train.ipynb").report, "text", Appearance(width=400))
    assert "(cell [1] (2 of 3))" in shown


def test_json_lines_that_tell_of_cells_are_no_notebook() -> None:
    assert not notebook.begins(b'{"cell_type": "T cell", "msg": "x"}\n')


def test_what_was_survived_in_a_cell_is_told_with_the_cell(tmp_path: Path) -> None:
    cells = [
        failed(1, "import foo", "ModuleNotFoundError", "No module named 'foo'"),
        cell(2, "Epoch 1/1\nloss 0.3\nTraining completed\n"),
    ]
    (tmp_path / "train.ipynb").write_bytes(saved(book(*cells)))
    shown = render(explain(tmp_path / "train.ipynb").report, "text", Appearance(width=400))
    assert "find the module foo (cell [1], line 5)" in " ".join(shown.split())


def test_cells_that_failed_are_told_where_much_was_printed_below_them(tmp_path: Path) -> None:
    cells = [
        failed(1, "import foo", "ModuleNotFoundError", "No module named 'foo'"),
        failed(2, "x = {}['a']", "KeyError", "'a'"),
        cell(3, *(f"sample {number}\n" for number in range(1000))),
    ]
    (tmp_path / "train.ipynb").write_bytes(saved(book(*cells)))
    report = explain(tmp_path / "train.ipynb").report
    assert not report.diagnoses
    assert [one.what for one in report.attempts] == ["failure", "failure"]
    shown = " ".join(render(report, "text", Appearance(width=400)).split())
    assert (
        "but this failed earlier: Python can't find the module foo (cell [1], line 5); KeyError: 'a' (cell [2]" in shown
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "outputs", "text", "data", "traceback", "ename", "text/plain", "execution_count"]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(VALUES, max_size=4), st.integers(1, 60), st.sampled_from([None, 1]))
def test_any_cells_in_any_pieces(cells: list[object], size: int, indent: int | None) -> None:
    data = saved({"nbformat": 4, "cells": [cell(1, "x"), *cells]}, indent)
    whole, cut = read(data), read(data, size)
    assert whole == cut


BOOK = saved(book(cell(3, "torch 2.1.0+cu121\n"), cell(12, "Epoch 1/3\n", FAILED), cell(None, "x\n")))


@pytest.mark.parametrize("way", ["file", "bytes", "stream", "folder", "archive"])
def test_a_place_is_a_cell_and_a_line_of_what_it_printed(way: str, tmp_path: Path) -> None:
    from logsense.catalog.load import load_catalog

    (tmp_path / "train.ipynb").write_bytes(BOOK)
    if way == "bytes":
        report = explain_text(BOOK, load_catalog(), name="train.ipynb")
    elif way == "stream":
        stream = Stream(load_catalog(), name="train.ipynb")
        stream.feed(BOOK[:1000])
        stream.feed(BOOK[1000:])
        report = stream.finish()
    elif way == "archive":
        with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
            archive.writestr("train.ipynb", BOOK)
        report = explain(tmp_path / "run.zip").report
    else:
        report = explain(tmp_path if way == "folder" else tmp_path / "train.ipynb").report
    first = report.diagnoses[0]
    assert first.cause == "code.shape-mismatch"
    assert (first.evidence[0].source or "").endswith("train.ipynb cell [12]")
    assert first.evidence[0].line == 1 + len("\n".join(TRACEBACK).split("\n"))
    assert (report.facts["torch.version"].source or "").endswith("train.ipynb cell [3]")


def test_the_same_as_of_a_log_of_this_text(tmp_path: Path) -> None:
    (tmp_path / "train.ipynb").write_bytes(BOOK)
    (tmp_path / "train.log").write_bytes(read(BOOK).text)
    one, other = (explain(tmp_path / name).report for name in ("train.ipynb", "train.log"))
    assert one.outcome == other.outcome
    assert [d._replace(evidence=(), against=()) for d in one.diagnoses] == [
        d._replace(evidence=(), against=()) for d in other.diagnoses
    ]


def test_a_report_shows_the_cell_around_the_proof(tmp_path: Path) -> None:
    (tmp_path / "train.ipynb").write_bytes(BOOK)
    command = [sys.executable, "-m", "logsense", "report", "train.ipynb"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    around = shown[shown.index("`train.ipynb cell [12]`\n") :]
    assert "\n  1 │ Epoch 1/3\n" in around
    assert "\n> 7 │ RuntimeError: mat1" in around
    assert "│ x" not in around


def test_notebooks_beside_logs_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "demo.ipynb").write_bytes(BOOK)
    (tmp_path / "train.log").write_text("step 1 loss 0.5\n")
    assert explain(tmp_path).report.inputs == (str(tmp_path / "train.log"),)
    assert without_examples(["a.ipynb", "notes.txt"]) == ["a.ipynb", "notes.txt"]
    assert without_examples(["a/x.ipynb", "a/job.out"]) == ["a/job.out"]


def test_it_is_not_read_as_it_stands() -> None:
    assert not is_plain(BOOK)
    assert is_plain(b'"nbformat" is a key of notebooks\n')


def test_names_of_parts() -> None:
    places = Places()
    places.parts += [Part(1, "a"), Part(4, "b")]
    for count in (3, 2):
        places.add(1, count)
    assert place_in("x", places, 3) == ("x a", 3)
    assert place_in("x", places, 4) == ("x b", 1)
    assert place_in("x", None, 4) == ("x", 4)


def failed(ran: int, code: str, name: str, value: str) -> dict[str, object]:
    traceback = [
        "-" * 75,
        f"{name}{'Traceback (most recent call last)':>50}",
        f"Cell In[{ran}], line 1\n----> 1 {code}",
    ]
    error = {"output_type": "error", "ename": name, "evalue": value, "traceback": [*traceback, f"{name}: {value}"]}
    return {**cell(ran, error), "source": code}


KEY = failed(3, "labels = rows['label']", "KeyError", "'label'")
UNDEFINED = failed(5, "plot(labels)", "NameError", "name 'labels' is not defined")
OTHER = failed(6, "plot(lables)", "NameError", "name 'lables' is not defined")
STOPPED = failed(8, "train()", "KeyboardInterrupt", "")


@pytest.mark.parametrize(
    ("cells", "at", "others"),
    [
        ([KEY, cell(4, "x\n"), STOPPED], "cell [8]", 1),
        ([KEY, UNDEFINED], "cell [3]", 1),
        ([KEY, UNDEFINED, cell(7, "x\n")], "cell [3]", 1),
        ([KEY, UNDEFINED, OTHER], "cell [6]", 2),
        ([OTHER, KEY], "cell [6]", 1),
        ([KEY], "cell [3]", 0),
    ],
)
def test_of_several_cells_the_last_that_failed_by_itself_is_explained(
    cells: list[object], at: str, others: int, tmp_path: Path
) -> None:
    (tmp_path / "train.ipynb").write_bytes(saved(book(*cells)))
    report = explain(tmp_path / "train.ipynb").report
    assert (report.diagnoses[0].evidence[0].source or "").endswith(at)
    assert [one.what for one in report.attempts] == ["cell"] * others
    assert all(" cell [" in who.source for one in report.attempts for who in one.culprits)
    assert (f"{others} other cell" in render(report, "text", Appearance(width=90))) == bool(others)


def test_code_around_the_line_that_ran_is_no_message() -> None:
    shown = (
        "   2210     # if loss is nan or inf\n-> 2211     step()\n   2212     raise ValueError('CUDA out of memory')\n"
    )
    header = f"KeyboardInterrupt{'Traceback (most recent call last)':>50}"
    lines = [TRACEBACK[0], header, f"File ~/trainer.py:2211, in train(self)\n{shown}", "KeyboardInterrupt: "]
    report = explain(saved(book(cell(1, {**FAILED, "traceback": lines})))).report
    assert [one.cause for one in report.diagnoses] == ["scheduler.cancelled"]


def test_programs_are_sent_to_the_notebook_itself(tmp_path: Path) -> None:
    (tmp_path / "train.ipynb").write_bytes(BOOK)
    report = explain(tmp_path / "train.ipynb").report
    look = Appearance(width=90)
    assert f"file={tmp_path / 'train.ipynb'},line=1::" in render(report, "github", look)
    for form in ("sarif", "junit"):
        shown = render(report, form, look)
        assert "train.ipynb" in shown
        assert "ipynb%20cell" not in shown
    assert f'file="{tmp_path / "train.ipynb"}" line="1"' in render(report, "junit", look)


def test_of_many_cells_that_failed_the_last_are_named(tmp_path: Path) -> None:
    cells = [failed(number, f"x[{number}]", "KeyError", f"'{number}'") for number in range(1, 7)]
    (tmp_path / "train.ipynb").write_bytes(saved(book(*cells)))
    shown = render(explain(tmp_path / "train.ipynb").report, "text", Appearance(width=400, verbose=True))
    assert "5 other cells failed, the last: KeyError" in shown
    assert [f"(cell [{number}])" in shown for number in range(1, 7)] == [False, False, True, True, True, False]
