"""What holds for any bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.records.records import records
from logsense.unwrap.pasted import undo_pasting

PIECES = [
    *("Traceback (most recent call last):", '  File "a.py", line 1, in f', "    g()", "ValueError: bad", "KeyError"),
    *(
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause",
    ),
    *("RuntimeError    Traceback (most recent call last)", "----> 9 f()", "/a/b.py in f(x)", "Cell In[3], line 2"),
    *("[rank0]: hello", "[rank1]: Traceback (most recent call last):", '[rank1]:   File "a.py", line 1, in f'),
    *("2026-11-20 10:00:00,123 - root - INFO - hello", "W1120 10:00:00.1 12 a.cc:1] hello", "[1,3]<stderr>:x"),
    *(
        "node1:1:2 [0] NCCL INFO x",
        "(pid=3) x",
        "3: x",
        "node7: x",
        "│ a.py:1 in f │",
        "╭── Traceback (most recent call last) ──╮",
    ),
    *(
        "frame #0: x",
        "Thread 0x1 (most recent call first):",
        "Fatal Python error: x",
        "Original Traceback (most recent call last):",
    ),
    *(
        "  0%| | 0/8 [00:00<?, ?it/s]",
        "1/9\r2/9\r",
        "\x1b[31mred\x1b[0m",
        "\x1b",
        "\x1b]",
        "\0",
        "\x08\x08",
        "&lt;&gt;",
        "> x",
        '"""',
        "|",
        "+",
        "",
    ),
    *(
        "  + Exception Group Traceback (most recent call last):",
        "  | ExceptionGroup: x",
        "    indented",
        "x" * 90,
        "\\n\\n\\n",
    ),
]
LINES = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(max_size=30), st.sampled_from(["\r", "\t", ":"])), max_size=30
)
LOGS = st.one_of(
    st.binary(max_size=400),
    LINES.map(lambda lines: "\n".join(lines).encode("utf-8", "replace")),
    LINES.map(lambda lines: "".join(lines).encode("utf-8", "replace")),
)


@settings(max_examples=400, deadline=None)
@given(LOGS, st.integers(1, 10**9), st.integers(0, 10**12))
def test_records_are_consistent(data: bytes, first_line: int, offset: int) -> None:
    found = records(data, source="log", first_line=first_line, offset=offset)
    last = first_line + data.count(b"\n")
    before = offset
    for record in found:
        assert record.source == "log"
        assert "\x1b" not in record.text
        assert "\r" not in record.text
        assert "\0" not in record.text
        assert len(record.lines) == record.text.count("\n") + 1
        assert list(record.lines) == sorted(record.lines)
        assert first_line <= record.lines[0] <= record.lines[-1] <= last
        assert before <= record.offset <= record.end <= offset + len(data)
        assert data[: record.offset - offset].count(b"\n") == record.line - first_line
        before = record.offset


@settings(max_examples=200, deadline=None)
@given(LOGS)
def test_no_text_is_lost(data: bytes) -> None:
    """Every word of plain letters is in some record, except for what prefixes, bars and colours hold."""
    plain = bytes(b for b in data if b == 10 or 97 <= b <= 122 or b == 32)
    words = plain.decode().split()
    assert [word for record in records(plain, source="log") for word in record.text.split()] == words


@settings(max_examples=200, deadline=None)
@given(LOGS, st.data())
def test_windows_agree_on_places(data: bytes, draw: st.DataObject) -> None:
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    cut = draw.draw(st.sampled_from([0, *ends]))
    line = 1 + data[:cut].count(b"\n")
    found = records(data[:cut], source="log") + records(data[cut:], source="log", first_line=line, offset=cut)
    whole = {number: data.split(b"\n")[number - 1] for number in range(1, data.count(b"\n") + 2)}
    for record in found:
        start = sum(len(whole[number]) + 1 for number in range(1, record.line))
        assert start <= record.offset <= start + len(whole[record.line])


@settings(max_examples=300, deadline=None)
@given(LOGS)
def test_normalised_pastes_keep_their_line_numbers(data: bytes) -> None:
    changed = undo_pasting(data)
    if changed is not None:
        text, places = changed
        numbers = [places.number(line) for line in range(1, places.lines + 1)]
        assert len(numbers) == text.count(b"\n") + 1
        assert 1 <= min(numbers) <= max(numbers) <= data.count(b"\n") + 1


TRACEBACK = b"""\
epoch 1
Traceback (most recent call last):
  File "a.py", line 1, in f
    g()
RuntimeError: CUDA error
CUDA kernel errors might be asynchronously reported

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "b.py", line 2, in g
ValueError: bad
srun: error: node1: task 0: Exited with exit code 1
"""


@pytest.mark.parametrize(
    "mark",
    [
        *("[rank0]: ", "[1,3]<stderr>:", "[default3]:", "2026-11-20T10:00:00.00000000{}Z stderr F ", "    ", "\t"[:0]),
        *("\x1b[36m(worker pid=12, ip=10.0.0.1)\x1b[0m ", "Nov 20 10:00:0{} node7 train[12]: ", "[pod/t-0/main] "),
        *("2026-11-20 10:00:00.12{} ", "node7: ", "0: "),
    ],
)
def test_marks_on_every_line_change_no_record(mark: str) -> None:
    plain = records(TRACEBACK, source="log")
    marked = b"".join(
        mark.format(at % 10).encode() + line for at, line in enumerate(TRACEBACK.splitlines(keepends=True))
    )
    found = records(marked, source="log")
    assert [(record.text, record.lines, record.raised) for record in found] == [
        (record.text, record.lines, record.raised) for record in plain
    ]


@pytest.mark.parametrize("change", [lambda data: data.replace(b"\n", b"\r\n"), lambda data: b"\x1b[0m" + data])
def test_changes_that_mean_nothing(change: Callable[[bytes], bytes]) -> None:
    assert [record.text for record in records(change(TRACEBACK), source="log")] == [
        record.text for record in records(TRACEBACK, source="log")
    ]
