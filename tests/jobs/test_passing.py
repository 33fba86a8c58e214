"""The job's bytes go through at once, unchanged, whatever the analysis or the reader behind does."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.jobs import passing
from logsense.jobs.passing import pass_on


class Pipes:
    """A writer's end, what passes on, a reader's end."""

    def __init__(self) -> None:
        self.from_job, self.job = os.pipe()
        self.out, self.to_out = os.pipe()

    def feed(self, pieces: list[bytes]) -> threading.Thread:
        def write() -> None:
            for piece in pieces:
                os.write(self.job, piece) if len(piece) < 4096 else _write_all(self.job, piece)
            os.close(self.job)

        thread = threading.Thread(target=write)
        thread.start()
        return thread

    def collect(self, into: list[bytes], delay: float = 0) -> threading.Thread:
        def read() -> None:
            while data := os.read(self.out, 1 << 16):
                into.append(data)
                time.sleep(delay)

        thread = threading.Thread(target=read)
        thread.start()
        return thread

    def close(self) -> None:
        for fd in (self.from_job, self.out):
            os.close(fd)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def through(pieces: list[bytes], on_bytes: object = None, delay: float = 0) -> tuple[bytes, bytes]:
    """What came out behind, and what the analysis got."""
    pipes = Pipes()
    out: list[bytes] = []
    seen: list[bytes] = []
    threads = [pipes.feed(pieces), pipes.collect(out, delay)]
    pass_on(pipes.from_job, pipes.to_out, on_bytes if callable(on_bytes) else seen.append)
    os.close(pipes.to_out)
    for thread in threads:
        thread.join()
    pipes.close()
    return b"".join(out), b"".join(seen)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=2000), max_size=20))
def test_byte_exact(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    assert through(pieces) == (data, data)


def test_much_binary_data() -> None:
    data = random.Random(1).randbytes(20_000_000)
    assert through([data]) == (data, data)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 300_000), max_size=12))
def test_byte_exact_in_pieces_of_all_sizes(sizes: list[int]) -> None:
    data = [random.Random(size).randbytes(size) for size in sizes]
    assert through(data) == (b"".join(data), b"".join(data))


def test_large_pieces_into_a_file(tmp_path: Path) -> None:
    pipes = Pipes()
    data = random.Random(1).randbytes(3_000_000)
    thread = pipes.feed([data])
    seen: list[bytes] = []
    with (tmp_path / "out").open("wb") as file:
        pass_on(pipes.from_job, file.fileno(), seen.append)
        file.write(b"end")  # it is still the same file
    thread.join()
    pipes.close()
    os.close(pipes.to_out)
    assert (tmp_path / "out").read_bytes() == data + b"end"
    assert b"".join(seen) == data


def test_reader_that_goes_amid_large_pieces() -> None:
    pipes = Pipes()
    data = random.Random(1).randbytes(8_000_000)
    thread = pipes.feed([data])
    seen: list[bytes] = []

    def read_some() -> None:
        os.read(pipes.out, 2_000_000)
        os.close(pipes.out)

    reader = threading.Thread(target=read_some)
    reader.start()
    pass_on(pipes.from_job, pipes.to_out, seen.append)
    thread.join()
    reader.join()
    for fd in (pipes.from_job, pipes.to_out):
        os.close(fd)
    assert b"".join(seen) == data


def test_slow_reader() -> None:
    data = random.Random(1).randbytes(1_000_000)
    assert through([data], delay=0.005) == (data, data)


def test_analysis_that_raises() -> None:
    calls = []

    def fail(piece: bytes) -> None:
        calls.append(piece)
        raise ValueError

    data = bytes(range(256)) * 40_000
    assert through([data], fail)[0] == data
    assert len(calls) == 1


def test_reader_that_goes_away() -> None:
    pipes = Pipes()
    os.close(pipes.out)
    data = bytes(1_000_000)
    seen: list[bytes] = []
    thread = pipes.feed([data])
    pass_on(pipes.from_job, pipes.to_out, seen.append)
    thread.join()
    os.close(pipes.to_out)
    os.close(pipes.from_job)
    assert b"".join(seen) == data


def test_files_that_do_not_wait() -> None:
    pipes = Pipes()
    os.set_blocking(pipes.from_job, False)
    os.set_blocking(pipes.to_out, False)
    data = bytes(3_000_000)
    out: list[bytes] = []
    collector = pipes.collect(out)

    def late() -> None:
        time.sleep(0.1)
        _write_all(pipes.job, data)
        os.close(pipes.job)

    timer = threading.Thread(target=late)
    timer.start()
    pass_on(pipes.from_job, pipes.to_out, lambda _: None)
    os.close(pipes.to_out)
    collector.join()
    timer.join()
    pipes.close()
    assert b"".join(out) == data


@pytest.mark.slow
def test_two_hundred_megabytes() -> None:
    piece = random.Random(1).randbytes(1 << 20)
    pipes = Pipes()
    count = 0

    def read() -> None:
        nonlocal count
        while data := os.read(pipes.out, 1 << 20):
            count += len(data)

    reader = threading.Thread(target=read)
    reader.start()
    writer = pipes.feed([piece] * 200)
    seen = 0

    def note(data: bytes) -> None:
        nonlocal seen
        seen += len(data)

    pass_on(pipes.from_job, pipes.to_out, note)
    os.close(pipes.to_out)
    reader.join()
    writer.join()
    pipes.close()
    assert count == seen == 200 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a pipe grow")
def test_pipes_hold_a_whole_piece() -> None:
    import fcntl

    pipes = Pipes()
    usual = fcntl.fcntl(pipes.from_job, fcntl.F_GETPIPE_SZ)
    os.close(pipes.job)
    pass_on(pipes.from_job, pipes.to_out, lambda _: None)
    held = [fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) for fd in (pipes.from_job, pipes.out)]
    assert held == [passing.CHUNK] * 2 or held == [usual] * 2  # where the user has as many pages in pipes as allowed
    with open(os.devnull, "rb") as null:
        pass_on(null.fileno(), pipes.to_out, lambda _: None)  # no pipe, no matter
