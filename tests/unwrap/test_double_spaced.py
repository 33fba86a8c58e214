"""A blank line below every line is none of the program's."""

from __future__ import annotations

from logsense.unwrap.pasted import undo_pasting

LINES = [
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "    main()",
    "ValueError: no",
    "end",
]


def test_the_blank_lines_go_and_the_others_keep_their_places() -> None:
    undone = undo_pasting("".join(f"{line}\n\n" for line in LINES).encode())
    assert undone is not None
    text, places = undone
    assert text.decode().split("\n")[:5] == LINES
    assert [places.number(line) for line in range(1, 6)] == [1, 3, 5, 7, 9]


def test_paragraphs_stay() -> None:
    assert undo_pasting(b"one\n\ntwo\n\nthree\n") is None
    assert undo_pasting(b"one\n\ntwo\nthree\n\nfour\n\nfive\n\nsix\n") is None
