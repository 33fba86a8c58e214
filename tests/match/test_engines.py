"""Both engines find the same, on anything, and pieces know every place of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.match.block import Block
from logsense.match.engines import SMALL_BYTES, PlainEngine, engine_for
from logsense.match.hyperscan_engine import HyperscanEngine
from logsense.match.pieces import pieces_of
from logsense.match.squeeze import Squeezed
from logsense.model.knowledge import Literals, unusual_texts


def literals_of(texts: Iterable[str], *, folded: str = "") -> Literals:
    """Literals that all stand for one signature; one of them ignores case."""
    known = sorted(texts)
    ignoring_case = frozenset(number for number, text in enumerate(known) if text == folded)
    return Literals(known, ignoring_case, unusual_texts(known), [(0,)] * len(known))


LITERALS = literals_of(["abab", "ba", "error", "größe"], folded="error")


def firsts(engine: PlainEngine | HyperscanEngine, data: bytes) -> dict[int, int]:
    return dict(engine(data))


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["a", "b", "ab", "ERROR", "error", "größe", "\n", "\0", "x"]), max_size=60))
def test_they_agree(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    found = firsts(PlainEngine(LITERALS), data)
    assert found == firsts(HyperscanEngine(LITERALS), data)
    assert {number: data.lower().find(text.encode()) for number, text in enumerate(LITERALS.texts)} == {
        **dict.fromkeys(range(len(LITERALS)), -1),
        **found,
    }


MANY = literals_of(f"{one}{other}" for one in ("loss", "lost", "größe", "a") for other in range(99))


@given(st.lists(st.sampled_from([*MANY.texts[::40], "loss", "lost1", "a", "g", "\n"]), max_size=4))
def test_few_begins_are_looked_up_among_many_literals(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = firsts(PlainEngine(MANY), text.encode())
    assert sorted(found) == [number for number, literal in enumerate(MANY.texts) if literal in text]


@given(
    st.lists(st.sampled_from(["abab", "ba", "Error", "größe", "\n", "x" * 500]), max_size=80),
    st.integers(0, 99),
    st.integers(0, 99),
)
def test_pieces_hold_each_place_once(pieces: list[str], begin: int, left: int) -> None:
    data = "".join(pieces).encode()
    end = max(begin, len(data) - left)
    found: dict[int, list[int]] = {}
    counts: dict[int, int] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("logsense.match.pieces.PIECE_BYTES", 700)
        patch.setattr("logsense.match.pieces.QUIET_BYTES", 1600)
        for piece in pieces_of(PlainEngine(LITERALS), bytearray(data), begin, end, len(data), lambda at: at + 7):
            for number in piece.firsts:
                starts = [*piece.starts(number)]
                found.setdefault(number, []).extend(starts)
                assert list(piece.last_starts(number, 3)) == starts[:-4:-1]
                counts[number] = counts.get(number, 0) + piece.count(number)
    folded = data.lower()
    for number, text in enumerate(LITERALS.texts):
        starts = [at for at in range(begin, end) if folded.startswith(text.encode(), at)]
        assert [at - 7 for at in found.get(number, [])] == starts
        assert counts.get(number, 0) <= len(starts)  # overlapping ones count once


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    folder = tmp_path / "cache"
    first = HyperscanEngine(LITERALS, str(folder))
    (kept,) = folder.iterdir()
    if damage is None:
        kept.unlink()
    else:
        kept.write_bytes(damage)
    again = HyperscanEngine(LITERALS, str(folder))
    assert again(b"abab") == first(b"abab") != []
    assert kept.stat().st_size > 100


def test_machines_with_other_processors_share_a_folder(tmp_path: Path) -> None:
    data = b"ba abab Error ba"
    good = HyperscanEngine(LITERALS, str(tmp_path))(data)
    (own,) = tmp_path.glob("*.hsdb")
    other = bytearray(own.read_bytes())
    other[12] ^= 0xFF  # the features of the processor: magic, version and length stand before
    own.write_bytes(other)
    assert HyperscanEngine(LITERALS, str(tmp_path))(data) == good
    assert own.read_bytes() == other  # the other kind finds its own again
    (second,) = set(tmp_path.glob("*.hsdb")) - {own}
    kept = second.stat().st_mtime_ns
    assert HyperscanEngine(LITERALS, str(tmp_path))(data) == good
    assert second.stat().st_mtime_ns == kept
    for path in (own, second, *(Path(f"{str(own)[:-5]}-{number}.hsdb") for number in (3, 4))):
        path.write_bytes(other)
    assert HyperscanEngine(LITERALS, str(tmp_path))(data) == good
    assert len(list(tmp_path.glob("*.hsdb"))) == 4


def test_a_cache_that_can_not_be_written_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert HyperscanEngine(LITERALS, str(tmp_path / "file" / "below"))(b"ba") == [(1, 0)]


def test_no_literals_give_no_hits() -> None:
    assert HyperscanEngine(literals_of([]))(b"anything") == []


def test_small_inputs_and_wishes_get_the_plain_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(engine_for(LITERALS, SMALL_BYTES - 1), PlainEngine)
    assert isinstance(engine_for(LITERALS, None), HyperscanEngine)
    monkeypatch.setenv("LOGSENSE_ENGINE", "plain")
    assert isinstance(engine_for(LITERALS, None), PlainEngine)


def closely(literals: Literals, data: bytes) -> dict[int, list[int]]:
    """Where literals begin in a text that is searched through wraps and colors."""
    block = Block(data)
    block.begin = block.fresh = 0
    block.end = len(data)
    found: dict[int, list[int]] = {}
    for piece in block.pieces(PlainEngine(literals), block.end, 0):
        for number in piece.firsts:
            found.setdefault(number, []).extend(piece.starts(number))
    return found


@given(st.lists(st.sampled_from(["out of memory", "out  of\nmemory", "x", " ", "\n", "\t", "of memory"]), max_size=30))
def test_wraps_and_blanks_are_looked_through(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    found = closely(literals_of(["out of memory"]), data)
    expected = [found.start() for found in re.finditer(rb"out\s+of\s+memory", data)]
    assert found.get(0, []) == expected


def test_colours_are_looked_through() -> None:
    literals = literals_of(["a: b", "out of memory"])
    data = b"\x1b[31mout of\x1b[0m \x1b[1mmem\x1b[0mory\x1b[K\n\x1b[1ma\x1b[0m: b"
    assert closely(literals, data) == {0: [data.index(b"a\x1b")], 1: [5]}


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(["of", "memory", " ", "\n", "\t ", "\x1b[31m", "\x1b[0m", "\x1b[K", "x" * 5000]), max_size=40
    )
)
def test_a_long_text_is_squeezed_as_a_short_one(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    squeezed = Squeezed(data)
    gaps = [(gap.start(), gap.end()) for gap in re.finditer(rb"(?:[ \t\r\n]|\x1b\[[0-9;]*[mK])+", data)]
    text, at = b"", 0
    origins: list[int] = []
    for begin, end in [*gaps, (len(data), len(data))]:
        text += data[at:begin]
        origins += range(at, begin)
        if re.search(rb"[ \t\r\n]", data[begin:end]):
            text += b" "
            origins.append(begin)
        at = end
    assert squeezed.text == text
    assert [squeezed.origin(position) for position in range(0, len(text), 7)] == origins[::7]
