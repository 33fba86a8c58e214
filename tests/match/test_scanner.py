"""The scanner finds the same whatever the blocks, and stays small whatever the log."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.match import block as blocks
from logsense.match.engines import PlainEngine
from logsense.match.hyperscan_engine import HyperscanEngine
from logsense.match.scanner import CROWDED, Scanner
from logsense.match.sightings import FIRST, LAST
from logsense.model.knowledge import Catalog, Literals
from logsense.model.reading import Reading
from logsense.records.records import records
from tests.conftest import Write

if TYPE_CHECKING:
    from logsense.match.pieces import Buffer

LOST = """
id: demo.lost
title: A rank lost memory
kind: failure
printed_by: https://example.org/lost
match: "lost {asked:size} on rank {rank:int}"
also: ["device {device:int} has {free:size}"]
"""


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog({"corpus/demo/lost.yaml": LOST})


def scan(catalog: Catalog, data: bytes, *, step: int = 1 << 30, threaded: bool = False) -> Reading:
    scanner = Scanner(catalog, PlainEngine(catalog.literals), records, "log", searchers=int(threaded))
    for start in range(0, len(data), step):
        scanner.feed(data[start : start + step])
    return scanner.finish()


def seen(result: Reading) -> list[tuple[int, int, dict[str, object]]]:
    return [(finding.line, finding.offset, finding.captures) for finding in result.findings]


def test_findings_know_where_they_are(catalog: Catalog) -> None:
    result = scan(catalog, b"one\ntwo\nlost 2 GiB on rank 7; device 3 has 1 MiB\nthree")
    assert seen(result) == [(3, 8, {"asked": 2 << 30, "rank": 7, "device": 3, "free": 1 << 20})]
    assert (result.lines, result.size, result.tail.line) == (4, 54, 1)
    assert result.findings[0].rank == 7


@pytest.mark.parametrize("backwards", [False, True])
def test_what_stands_at_one_place_has_an_order_of_its_own(write_catalog: Write, backwards: bool) -> None:
    other = LOST.replace("demo.lost", "demo.again").replace("lost {asked:size} on rank", "lost {asked:size} on")
    both = write_catalog({"corpus/demo/lost.yaml": LOST, "corpus/demo/again.yaml": other.replace("int}", "text}", 1)})

    class Ordered(PlainEngine):
        def __call__(self, data: Buffer) -> Iterable[tuple[int, int]]:  # type: ignore[override]
            return sorted(super().__call__(data), reverse=backwards)

    scanner = Scanner(both, Ordered(both.literals), records, "log")
    scanner.feed(b"lost 2 GiB on rank 7\n")
    assert [finding.signature.id for finding in scanner.finish().findings] == ["demo.again", "demo.lost"]


@pytest.mark.parametrize("threaded", [False, True])
def test_blocks_change_nothing(catalog: Catalog, monkeypatch: pytest.MonkeyPatch, threaded: bool) -> None:
    data = b"".join(b"filler %d\n" % n if n % 97 else b"lost %d MiB on rank 3\n" % n for n in range(1, 2000))
    whole = scan(catalog, data)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4096)
    monkeypatch.setattr(blocks, "CARRY_BYTES", 2048)
    monkeypatch.setattr(blocks, "WINDOW_BYTES", 256)
    monkeypatch.setattr(blocks, "NEAR_BYTES", 256)
    monkeypatch.setattr(blocks, "AFTER_BYTES", 256)
    for step in (1000, 4096, 1 << 20):
        cut = scan(catalog, data, step=step, threaded=threaded)
        assert seen(cut) == seen(whole)
        assert (cut.lines, cut.size, cut.counts) == (whole.lines, whole.size, whole.counts)


@pytest.mark.parametrize("crowded", [0, CROWDED])
def test_threads_change_nothing(built_in_catalog: Catalog, monkeypatch: pytest.MonkeyPatch, crowded: int) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 19)
    monkeypatch.setattr("logsense.match.scanner.CROWDED", crowded)
    engine = HyperscanEngine(built_in_catalog.literals, built_in_catalog.cache_folder)
    messages = [b"CUDA error: out of memory", b"Connection reset by peer", b"Killed", b"nothing of note " * 9]
    data = b"".join(b"%d: %s\n" % (n, messages[n % 4 if n % 50 < 4 else 3]) for n in range(20_000))
    results = []
    for searchers in (0, 1, 3):
        scanner = Scanner(built_in_catalog, engine, records, "log", searchers=searchers)
        scanner.feed(data)
        results.append(scanner.finish())
    for result in results[1:]:
        assert seen(results[0]) == seen(result)
        assert results[0].counts == result.counts
    assert len(results[0].findings) > FIRST


class Slow(PlainEngine):
    """Takes its time, and notes how much it gets and who searches."""

    def __init__(self, literals: Literals, fails_at: bytes = b"") -> None:
        super().__init__(literals)
        self.sizes: list[int] = []
        self.by: set[str] = set()
        self._fails_at = fails_at

    def __call__(self, data: Buffer) -> Iterable[tuple[int, int]]:  # type: ignore[override]
        self.sizes.append(len(data))
        self.by.add(threading.current_thread().name)
        time.sleep(len(self.sizes) % 5 / 1000)
        if self._fails_at and self._fails_at in bytes(data):
            raise ValueError("it fails")
        return super().__call__(data)


@pytest.fixture
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4096)
    monkeypatch.setattr(blocks, "CARRY_BYTES", 2048)
    monkeypatch.setattr(blocks, "AFTER_BYTES", 256)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("threads", [0, 1, 3])
def test_blocks_keep_their_order_whoever_searches_them(catalog: Catalog, threads: int) -> None:
    data = b"".join(b"lost %d MiB on rank 3\n%s" % (n, b"filler\n" * 99) for n in range(20))
    engine = Slow(catalog.literals)
    before = threading.active_count()
    scanner = Scanner(catalog, engine, records, "log", searchers=threads)
    scanner.feed(data)
    result = scanner.finish()
    assert seen(result) == seen(scan(catalog, data))
    assert (len(engine.by) > 1) == (threads > 0)
    gc.collect()
    assert threading.active_count() <= before


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("threads", [0, 2])
def test_what_a_search_raises_is_raised_here(catalog: Catalog, threads: int) -> None:
    scanner = Scanner(catalog, Slow(catalog.literals, b"lost 1 GiB"), records, "log", searchers=threads)
    with pytest.raises(ValueError, match="it fails"):
        scanner.feed(b"filler\n" * 1000 + b"lost 1 GiB on rank 2\n" + b"filler\n" * 5000)


@pytest.mark.usefixtures("_small_blocks")
def test_without_threads_the_reader_searches(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    data = b"filler\n" * 1000 + b"lost 1 GiB on rank 2\n" + b"filler\n" * 5000
    assert seen(scan(catalog, data, threaded=True)) == seen(scan(catalog, data))


def test_a_source_that_grows_while_it_is_read(catalog: Catalog) -> None:
    engine = Slow(catalog.literals)
    scanner = Scanner(catalog, engine, records, "log", size=0)
    data = b"filler\n" * 30_000 + b"lost 1 GiB on rank 2\n"
    scanner.feed(data)
    assert seen(scanner.finish()) == seen(scan(catalog, data))
    assert len(engine.sizes) < 8


@settings(max_examples=40, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from([b"lost 1 GiB on rank 2", b"\n", b"\r", b"\xff\x00", b"lost ", b"x" * 50, b"\x1b[31m"])
    )
)
def test_any_bytes_give_a_result(pieces: list[bytes]) -> None:
    from logsense.catalog.load import load_catalog

    data = b"".join(pieces)
    result = scan(load_catalog(), data, step=7)
    assert result.size == len(data)
    assert all(0 <= finding.offset < len(data) for finding in result.findings)


def test_a_message_on_every_line_is_counted_and_not_kept(catalog: Catalog) -> None:
    data = b"lost 1 GiB on rank 5\n" * 3000
    result = scan(catalog, data)
    assert len(result.findings) == FIRST + LAST
    assert result.counts == {"demo.lost": 3000}
    assert [f.line for f in result.findings][-1] == 3000


def test_the_tail_is_the_end_of_the_log(catalog: Catalog) -> None:
    result = scan(catalog, b"x" * 99 + b"\n" + b"y\n" * 400_000)
    assert result.tail.text.endswith(b"y\n")
    assert len(result.tail.text) <= blocks.CARRY_BYTES
    assert result.tail.offset + len(result.tail.text) == result.size
    assert result.tail.line + result.tail.text.count(b"\n") == result.lines + 1


def test_the_tail_may_begin_within_a_redrawn_line(catalog: Catalog) -> None:
    result = scan(catalog, b"first\n" + b"\rloop 1/9" * 100_000 + b"\nlast\n")
    assert result.tail.text.startswith(b"loop 1/9\r")
    assert result.tail.text.endswith(b"\nlast\n")
    assert blocks.CARRY_BYTES - 10 <= len(result.tail.text) <= blocks.CARRY_BYTES
    assert result.tail.offset + len(result.tail.text) == result.size
    assert result.tail.line == 2


def test_a_wrapped_message_whose_longest_word_stands_below() -> None:
    from logsense.catalog.load import load_catalog
    from logsense.pipeline import explain_text

    log = (
        "[1] 2019-06-13 01:17:08.886805: E compiler/xla/python/local_client.cc:672] Execution of replica 0 failed: Resource "
        "exhausted: Out\nof memory while trying to allocate 5520758552 bytes.\n"
    )
    assert explain_text(log.encode(), load_catalog()).diagnoses[0].cause == "gpu-memory.capacity"


def test_each_of_the_messages_glued_to_one_line_is_found(built_in_catalog: Catalog) -> None:
    scanner = Scanner(built_in_catalog, PlainEngine(built_in_catalog.literals), records, "log")
    bar = "  0%|          | 4/8614 [00:01<55:32,  2.58it/s, loss=nan, lr=2.5e-05]"
    scanner.feed(
        f"{bar}[scaler] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 4096, reducing to 2048\n".encode()
    )
    found = {finding.signature.id for finding in scanner.finish().findings}
    assert {"generic.loss-not-finite", "apex.loss-scale-step-skipped"} <= found
