"""Blocks come back in their order, searched, whoever searched them and whatever goes wrong."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from logsense.match.block import Block
from logsense.match.hits import Hits
from logsense.match.searches import Searches
from logsense.model.knowledge import Literal, Literals

if TYPE_CHECKING:
    from logsense.match.engines import Buffer

LITERALS = Literals.of(Literal(f"block {number:2}", False, (number,)) for number in range(40))


def blocks(count: int) -> Iterator[Block]:
    for number in range(count):
        block = Block(None, 64)
        block.space()[:2] = number.to_bytes(2, "big")
        block.end += 2
        yield block


def numbered(block: Buffer, base: int = 0) -> Hits:
    """An engine that finds a block's number, after a while."""
    number = int.from_bytes(bytes(block[:2]), "big")
    time.sleep(number % 5 / 1000)
    return Hits.of(LITERALS, {number: [base]})


def through(engine: Callable[[Buffer, int], Hits], threads: int, count: int = 40) -> list[int]:
    searches = Searches(engine, 0, threads)  # type: ignore[arg-type]
    done = [one for block in blocks(count) for one in searches.given(block)]
    return [number for block in (*done, *searches.rest()) for number in (block.hits or Hits(LITERALS)).numbers]


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_blocks_keep_their_order(threads: int) -> None:
    assert through(numbered, threads) == list(range(40))


@pytest.mark.parametrize("threads", [0, 2])
def test_what_a_search_raises_is_raised_here(threads: int) -> None:
    def failing(block: Buffer, base: int = 0) -> Hits:
        if bytes(block[:2]) == b"\0\x1e":
            raise ValueError("block 30")
        return numbered(block, base)

    with pytest.raises(ValueError, match="block 30"):
        through(failing, threads)


def test_several_threads_search() -> None:
    seen = set()

    def noting(block: Buffer, base: int = 0) -> Hits:
        seen.add(threading.get_ident())
        return numbered(block, base)

    through(noting, 2)
    assert len(seen) >= 2


def test_threads_end_with_the_searches() -> None:
    before = threading.active_count()
    through(numbered, 3)
    gc.collect()
    for _ in range(200):
        if threading.active_count() <= before:
            return
        time.sleep(0.01)
    pytest.fail("threads are left over")
