"""Source code is told from what a program printed."""

from __future__ import annotations

import pytest

from logsense.match.code import is_source
from logsense.records.records import records

MESSAGE = "memory is full"


@pytest.mark.parametrize(
    "line",
    [
        f'raise RuntimeError("{MESSAGE}")',
        f"    raise demo.Full(f'{MESSAGE}: {{free}}')",
        f'assert free > 0, "{MESSAGE}"',
        f'logger.error("{MESSAGE}")',
        f'print("{MESSAGE}")',
        f'TORCH_CHECK(free > 0, "{MESSAGE}");',
        f'std::cerr << "{MESSAGE}";',
        f'def {MESSAGE.replace(" ", "_")}(x): "{MESSAGE}"',
        f'"""{MESSAGE}"""',
    ],
)
def test_statements(line: str) -> None:
    (record,) = records(f"{line}\n".encode(), source="log")
    assert is_source(record, record.text.find("full"))


@pytest.mark.parametrize(
    "line",
    [
        MESSAGE,
        f"RuntimeError: {MESSAGE}",
        f"raised by the loader: {MESSAGE}",
        f"assertion: {MESSAGE}",
        f"class 3: {MESSAGE}",
    ],
)
def test_messages(line: str) -> None:
    (record,) = records(f"{line}\n".encode(), source="log")
    assert not is_source(record, record.text.find("full"))


def test_the_line_below_a_frame_is_source() -> None:
    log = f'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    fail({MESSAGE!r})\nDemoError: {MESSAGE}\n'
    (record,) = records(log.encode(), source="log")
    assert is_source(record, record.text.find(MESSAGE))
    assert not is_source(record, record.text.rfind(MESSAGE))
