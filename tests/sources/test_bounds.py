"""What is unwrapped stays small: lines beyond a limit are passed on as they are."""

from __future__ import annotations

import resource

from logsense.sources.stream import StreamedText
from logsense.unwrap import csv_log, shape


def test_a_row_without_end_is_passed_on() -> None:
    row = b'2026,"' + b'"","' * (csv_log.LONGEST // 4) + b"\n"
    table = csv_log.step(b"time,message\n")
    assert table.feed(b"time,message\n") == b""
    assert table.feed(row) == row
    assert table.feed(b"2026,hello\n") == b"hello\n"


def test_a_json_log_without_line_ends_takes_bounded_memory() -> None:
    fed = StreamedText()
    fed.feed(b'{"log": "x"}\n{"log": "y"}\n{"log": "' + b"z" * 70_000)
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    piece = b"z" * (1 << 20)
    given = sum(len(fed.feed(piece)) for _ in range(64))
    assert given >= (64 << 20) - shape.LONGEST
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 40 << 10
