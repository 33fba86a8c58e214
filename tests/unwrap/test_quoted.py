"""A log that another program carries as a value is read as the lines it had; other quotes stay."""

from __future__ import annotations

import json

import pytest

from logsense.unwrap import quoted
from logsense.unwrap.paste import Paste

LINES = [
    "Traceback (most recent call last):",
    '  File "C:\\a.py", line 1, in f',
    "    it's",
    "ValueError: \u2018bad\u2019",
]
LOG = "\n".join(LINES)


def _unquoted(text: str) -> Paste:
    return quoted.unquote(Paste(text, range(1, text.count("\n") + 2)))


def unquote(text: str) -> str:
    return _unquoted(text).text


def parted(text: str) -> list[str]:
    return [line for line in unquote(text).split("\n") if line]


@pytest.mark.parametrize("text", [json.dumps(LOG), repr(LOG), repr(LOG.encode()), json.dumps(LINES)])
def test_a_string_or_list_on_one_line(text: str) -> None:
    assert [line.encode("ascii", "ignore") for line in parted(text)][:3] == [line.encode() for line in LINES[:3]]
    assert parted(text)[3].startswith("ValueError: ")


def test_a_value_of_a_document() -> None:
    document = json.dumps({"status": "failed", "error": {"message": LOG, "code": 1}}, indent=2)
    assert [line for line in parted(document) if line in LINES] == LINES
    text, numbers = _unquoted(document)
    assert {number for line, number in zip(text.split("\n"), numbers, strict=True) if line in LINES} == {4}


def test_a_list_with_a_line_for_each_string() -> None:
    text = 'fatal: [node07]: FAILED! => {\n    "stderr_lines": ' + json.dumps(LINES, indent=8) + "\n}\n"
    assert parted(text)[2:-2] == LINES
    assert [*_unquoted(text).numbers] == [*range(1, text.count("\n") + 2)]


@pytest.mark.parametrize(
    "text",
    [
        'print("a")\nprint("b")\n"c"\n',
        'ERROR: "x" is not "y"\nRuntimeError(\'one\\ntwo\\nthree\\nfour\')\nthe rest of the log is far longer than this\n',
        "C:\\new\\names\\none\n",
        '["a", 1, null]',
        '["never closed\\n\\n\\n',
        '"\\' * 50,
        '["' * 20_000,
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert unquote(text) == text
