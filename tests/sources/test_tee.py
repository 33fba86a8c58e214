"""The job's bytes go through at once, unchanged, whatever the analysis or the reader behind does."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.sources import doubled
from logsense.sources import tee as module
from logsense.sources.doubled import doubler
from logsense.sources.tee import tee


class Pipes:
    """A writer's end, the tee, a reader's end."""

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
    tee(pipes.from_job, pipes.to_out, on_bytes if callable(on_bytes) else seen.append)
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


@pytest.mark.skipif(doubler() is None, reason="the system has no tee(2)")
def test_what_comes_in_large_pieces_is_passed_on_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []

    def note(fd: int, data: bytes) -> bool:
        written.append(len(data))
        return write_all(fd, data)

    write_all = module.write_all
    monkeypatch.setattr(module, "write_all", note)
    data = random.Random(1).randbytes(20_000_000)
    assert through([data, b"end"]) == (data + b"end", data + b"end")
    assert sum(written) < len(data) // 2


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 300_000), max_size=12))
def test_byte_exact_in_pieces_of_all_sizes(sizes: list[int]) -> None:
    data = [random.Random(size).randbytes(size) for size in sizes]
    assert through(data) == (b"".join(data), b"".join(data))


def test_large_pieces_without_the_kernel_s_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubled, "doubler", lambda: None)
    data = random.Random(1).randbytes(3_000_000)
    assert through([data]) == (data, data)


def test_what_another_reader_took_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([200_000])
    monkeypatch.setattr(doubled, "doubler", lambda: lambda *_: next(sizes, 0))
    data = random.Random(1).randbytes(module.LARGE)
    assert through([data]) == (data, data)


def test_large_pieces_into_a_file(tmp_path: Path) -> None:
    pipes = Pipes()
    data = random.Random(1).randbytes(3_000_000)
    thread = pipes.feed([data])
    seen: list[bytes] = []
    with (tmp_path / "out").open("wb") as file:
        tee(pipes.from_job, file.fileno(), seen.append)
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
    tee(pipes.from_job, pipes.to_out, seen.append)
    thread.join()
    reader.join()
    for fd in (pipes.from_job, pipes.to_out):
        os.close(fd)
    assert b"".join(seen) == data


def test_the_reader_s_end_does_not_wait_for_the_analysis() -> None:
    pipes = Pipes()
    release = threading.Event()
    thread = threading.Thread(target=tee, args=(pipes.from_job, pipes.to_out, lambda _: release.wait(10)))
    thread.start()
    os.write(pipes.job, b"all there is")
    os.close(pipes.job)
    assert os.read(pipes.out, 100) == b"all there is"
    assert os.read(pipes.out, 100) == b""
    assert thread.is_alive()
    release.set()
    thread.join()
    os.close(pipes.to_out)
    pipes.close()


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


def test_bytes_pass_before_the_analysis_has_them() -> None:
    pipes = Pipes()
    release = threading.Event()
    thread = threading.Thread(target=tee, args=(pipes.from_job, pipes.to_out, lambda _: release.wait(10)))
    thread.start()
    for piece in (b"one", b"two", b"three"):
        os.write(pipes.job, piece)
        assert os.read(pipes.out, 100) == piece
    release.set()
    os.close(pipes.job)
    thread.join(5)
    assert not thread.is_alive()
    os.close(pipes.to_out)
    pipes.close()


def test_slow_analysis_bounds_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 1 << 16)
    data = bytes(2_000_000)
    seen = []

    def slow(piece: bytes) -> None:
        time.sleep(0.002)
        seen.append(piece)

    assert through([data], slow)[0] == data
    assert b"".join(seen) == data


def test_analysis_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 1 << 12)
    monkeypatch.setattr(module, "PATIENCE_S", 0.05)
    release = threading.Event()
    pipes = Pipes()
    data = bytes(1_000_000)
    out: list[bytes] = []
    threads = [pipes.feed([data]), pipes.collect(out)]
    worker = threading.Thread(target=tee, args=(pipes.from_job, pipes.to_out, lambda _: release.wait(10)))
    worker.start()
    threads[0].join(5)
    release.set()
    worker.join(5)
    os.close(pipes.to_out)
    threads[1].join(5)
    assert b"".join(out) == data
    pipes.close()


def test_reader_that_goes_away() -> None:
    pipes = Pipes()
    os.close(pipes.out)
    data = bytes(1_000_000)
    seen: list[bytes] = []
    thread = pipes.feed([data])
    tee(pipes.from_job, pipes.to_out, seen.append)
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
    tee(pipes.from_job, pipes.to_out, lambda _: None)
    os.close(pipes.to_out)
    collector.join()
    timer.join()
    pipes.close()
    assert b"".join(out) == data


def test_interrupt_is_for_the_job() -> None:
    script = (
        "import sys\nfrom logsense.sources.tee import tee\nseen = []\n"
        "tee(0, 1, seen.append)\nsys.stderr.write('explained %d' % sum(map(len, seen)))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(b"one\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"one\n"
        child.send_signal(signal.SIGINT)
        child.stdin.write(b"last words\n")
        child.stdin.close()
        assert child.stdout.read() == b"last words\n"
        assert child.stderr.read() == b"explained 15"
        assert child.wait() == 0


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

    tee(pipes.from_job, pipes.to_out, note)
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
    tee(pipes.from_job, pipes.to_out, lambda _: None)
    held = [fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) for fd in (pipes.from_job, pipes.out)]
    assert held == [module.CHUNK] * 2 or held == [usual] * 2  # where the user has as many pages in pipes as allowed
    with open(os.devnull, "rb") as null:
        tee(null.fileno(), pipes.to_out, lambda _: None)  # no pipe, no matter
