"""The newest hits of a source, kept with the bytes around them until it has ended."""

from __future__ import annotations

import gc
import random

import pytest

from logsense.match.block import Block
from logsense.match.crowd import Crowd
from logsense.match.hits import Hits
from logsense.match.late import MOST_BYTES, Late
from logsense.match.tally import Tally
from logsense.match.verify import Verifier
from logsense.model.knowledge import Catalog, Literal, Literals
from tests.conftest import Write

WORDS = [b"alpha", b"beta", b"gamma"]


def late_of(write_catalog: Write, each: int) -> Late:
    """For a catalog that has a signature for each of WORDS."""
    texts = {
        f"corpus/demo/{word.decode()}.yaml": f"id: demo.{word.decode()}\ntitle: A word\nkind: failure\n"
        f'printed_by: https://example.org/words\nmatch: "line {{n:int}} {word.decode()}"\n'
        for word in WORDS
    }
    catalog: Catalog = write_catalog(texts)
    tally = Tally()
    return Late(each, Crowd(catalog, Verifier(), tally), tally)


def blocks_of(text: bytes, size: int) -> list[Block]:
    """`text` in blocks as the scanner makes them."""
    blocks = []
    block = Block(room=size)
    for begin in range(0, len(text), size):
        part = text[begin : begin + size]
        memoryview(block.data)[block.end : block.end + len(part)] = part
        block.end += len(part)
        blocks.append(block)
        block = block.follow(None) if begin + size < len(text) else block
        if len(block.data) != len(blocks[-1].data):  # blocks that follow have room for much more
            block.data = block.data[: len(blocks[-1].data)]
    return blocks


def hits_in(text: bytes, begin: int, end: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index, word in enumerate(WORDS):
        at = text.find(word, begin, end)
        while at >= 0:
            found.setdefault(index, []).append(at)
            at = text.find(word, at + 1, end)
    return found


@pytest.mark.parametrize("size", [100_000, 300_000, 1_000_000])
@pytest.mark.parametrize("often", [3, 500, 20_000])
def test_the_newest_are_kept_with_their_lines(write_catalog: Write, size: int, often: int) -> None:
    chance = random.Random(size + often)
    lines = [
        b"line %d %s\n" % (number, chance.choice(WORDS) if chance.randrange(often) == 0 else b"nothing")
        for number in range(1, 60_001)
    ]
    text = b"".join(lines)
    late = late_of(write_catalog, 5)
    words = Literals.of(Literal(word.decode(), False, (index,)) for index, word in enumerate(WORDS))
    for number, block in enumerate(blocks_of(text, size)):
        here = Hits.of(words, hits_in(text, number * size, (number + 1) * size))
        late.keep(block, here, here.counts(), {})
    kept: dict[int, list[int]] = {}
    for blocks, hits in late.newest_first():
        for index, offsets in hits.items():
            kept.setdefault(index, []).extend(reversed(offsets))
            for offset in offsets:
                block = next(one for one in blocks if one.base <= offset < one.base + one.end)
                line, _ = block.line_at(offset)
                assert line + b"\n" == lines[block.line_of(offset - block.shift) - 1]
                assert WORDS[index] in line
                assert block.data == text[block.base : block.base + block.end]
    whole = hits_in(text, 0, len(text))
    for index, offsets in whole.items():
        assert sorted(kept[index])[-5:] == offsets[-5:]


@pytest.mark.whole
def test_of_very_many_hits_everywhere_the_newest_are_kept(write_catalog: Write) -> None:
    many = Literals.of(Literal(f"word {number:5}", False, (number,)) for number in range(7000))
    late = late_of(write_catalog, 3)
    size, apart = 1 << 20, 48
    text = b"".join(b"line %37d word\n" % number for number in range(20 * size // apart))
    for number, block in enumerate(blocks_of(text, size)):
        starts: dict[int, list[int]] = {}
        for at in range(size // apart):
            starts.setdefault(at * 3 % 7000, []).append(number * size + at * apart)
        here = Hits.of(many, starts)
        late.keep(block, here, here.counts(), {})
        newest = starts
    kept: dict[int, list[int]] = {}
    for blocks, found in late.newest_first():
        for index, offsets in found.items():
            kept.setdefault(index, []).extend(reversed(offsets))
            for offset in offsets[-1:]:
                block = next(one for one in blocks if one.base <= offset < one.base + one.end)
                assert block.data == text[block.base : block.base + block.end]
    assert {index: sorted(kept[index])[-3:] for index in newest} == {i: found[-3:] for i, found in newest.items()}


def test_of_hits_that_are_not_kept_nothing_stays(write_catalog: Write) -> None:
    words = Literals.of(Literal(word.decode(), False, (index,)) for index, word in enumerate(WORDS))
    late = late_of(write_catalog, 3)
    text = b"line 7 alpha\n" * 20_000
    for number, block in enumerate(blocks_of(text, 20_000)):
        here = Hits.of(words, hits_in(text, 20_000 * number, 20_000 * (number + 1)))
        late.keep(block, here, here.counts(), {})
        del here
    assert sum(isinstance(one, Hits) for one in gc.get_objects()) < 3


def test_memory_has_an_end(write_catalog: Write) -> None:
    late = late_of(write_catalog, 100)
    many = Literals.of(Literal(f"word {number:5}", False, (number,)) for number in range(2000))
    block = Block()
    block.end = len(block.data)
    for number in range(20):
        block.base = number * block.end
        starts = {100 * number + one: [block.base + 60_000 * one] for one in range(70)}
        late.keep(block, Hits.of(many, starts), dict.fromkeys(starts, 1), {})
    assert sum(len(one.data) for blocks, _ in late.newest_first() for one in blocks) <= MOST_BYTES
