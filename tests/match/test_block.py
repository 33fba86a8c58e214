"""A block of bytes: where its lines are."""

from __future__ import annotations

import random

from logsense.match.block import COUNTED_BYTES, Block


def test_lines_are_counted_however_they_lie() -> None:
    chance = random.Random(7)
    size = 2 * COUNTED_BYTES + 4321
    data = bytearray(chance.choice(b"\n\n\rab") for _ in range(size))
    block = Block(data)
    for _ in range(20):
        begin, end = sorted(chance.randrange(size + 1) for _ in range(2))
        assert block.lines_in(begin, end) == bytes(data[begin:end]).count(b"\n")
