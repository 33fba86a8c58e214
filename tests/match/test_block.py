"""A block of bytes: where its lines are, and where literals stand in the pieces that are searched."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logsense.match import block as blocks
from logsense.match.block import COUNTED_BYTES, Block
from logsense.match.engines import plain_engine
from logsense.match.sought import HitLiteral
from logsense.model.knowledge import Literal, Literals

LITERALS = Literals.of(Literal(text, text == "error", (0,)) for text in ("abab", "lost", "error", "a\nb"))
LONGEST = 5


def test_lines_are_counted_however_they_lie() -> None:
    chance = random.Random(7)
    size = 2 * COUNTED_BYTES + 4321
    data = bytearray(chance.choice(b"\n\n\rab") for _ in range(size))
    block = Block(data)
    for _ in range(20):
        begin, end = sorted(chance.randrange(size + 1) for _ in range(2))
        assert block.lines_in(begin, end) == bytes(data[begin:end]).count(b"\n")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(["ab", "lost", "ERR", "error", "or", "\n", "x" * 30]), max_size=60))
def test_pieces_have_all_hits_each_once(parts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {"PIECE_BYTES": 32, "CUT_BYTES": 8, "AFTER_BYTES": 16, "CARRY_BYTES": 64}.items():
        monkeypatch.setattr(blocks, name, size)
    data, engine = "".join(parts).encode(), plain_engine(LITERALS)
    texts = {n: HitLiteral(n, one.text.encode(), one.ignore_case, [], False) for n, one in enumerate(LITERALS)}
    found: dict[int, list[int]] = {number: [] for number in texts if number != 0}
    block = Block(None, 128)
    for at in range(0, len(data) + 1, 128):
        part = data[at : at + 128]
        block.space()[: len(part)] = part
        block.end += len(part)
        after = block.follow(None) if block.full else None
        block.search(engine, LONGEST)
        for piece in block.pieces:
            for number in piece.hits:
                starts = list(block.starts(piece, texts[number]))
                assert list(block.starts_backwards(piece, texts[number])) == starts[::-1]
                found.setdefault(number, []).extend(starts)
        if after:
            block = after
            block.data = block.data[: len(block.data) - blocks.BLOCK_BYTES + 128]
    for number, one in enumerate(LITERALS):
        if "\n" not in one.text:
            looked = re.compile(rb"(?=%s)" % one.text.encode(), re.IGNORECASE if one.ignore_case else 0)
            assert found.get(number, []) == [hit.start() for hit in looked.finditer(data)], one.text


def test_a_state_of_a_redrawn_line_is_a_line_of_its_own() -> None:
    block = Block(b"one\n 1%\r 2% lost\r 3%\r\nlast\n")
    block.begin, block.end = 0, len(block.data)
    assert block.line_at(block.data.index(b"lost")) == (b" 2% lost", 16)
    assert block.line_at(block.data.index(b"last")) == (b"last", 26)
