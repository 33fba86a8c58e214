"""What is kept of a stream for slow readers: the first, the last, and how much is missing in between."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.jobs import output_buffer as module
from logsense.jobs.output_buffer import OutputBuffer, Reader


def all_of(kept: OutputBuffer, reader: Reader) -> bytes:
    return b"".join(iter(lambda: kept.read(reader), b""))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(0, 500), st.integers(0, 500))
def test_the_first_and_the_last_are_there_and_the_gap_is_counted(
    pieces: list[bytes], first_bytes: int, last_bytes: int
) -> None:
    module.BLOCK_BYTES = 100
    kept, reader, data = OutputBuffer(first_bytes, last_bytes), Reader(), b"".join(pieces)
    for piece in pieces:
        kept.put(piece)
    read = all_of(kept, reader)
    assert kept.size_bytes == len(data) == len(read) + reader.skipped_bytes
    head = min(first_bytes, len(data))
    assert read[:head] == data[:head]
    assert data.endswith(read[head:])
    assert len(read) >= min(len(data), head + last_bytes)
    assert read.count(b"\n") + reader.skipped_lines == reader.lines == data.count(b"\n")


def test_a_reader_that_keeps_up_misses_nothing() -> None:
    kept, reader, chance = OutputBuffer(100, 100), Reader(), random.Random(1)
    whole, read = b"", b""
    for _ in range(200):
        piece = chance.randbytes(90)
        whole += piece
        kept.put(piece)
        read += all_of(kept, reader)
    assert (read, reader.skipped_bytes) == (whole, 0)


def test_memory_is_bounded() -> None:
    kept = OutputBuffer(1 << 20, 2 << 20)
    for _ in range(100):
        kept.put(bytes(300_000))
    assert sum(len(block.data) for block in (*kept._first, *kept._last)) <= (3 << 20) + 3 * 300_000


def test_waiting_ends_with_the_end() -> None:
    kept, reader = OutputBuffer(), Reader()
    assert not kept.wait(reader, 0.001)
    kept.put(b"x")
    assert kept.wait(reader, 60.0)
    assert kept.read(reader) == b"x"
    kept.close()
    assert kept.wait(reader, 60.0)
    assert kept.read(reader) == b""
