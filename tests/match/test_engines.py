"""Both engines give the same hits, on anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.match.engines import SMALL_BYTES, engine_for, hyperscan_engine, over_wraps, plain_engine
from logsense.match.hits import Hits
from logsense.match.squeeze import Squeezed
from logsense.model.knowledge import Literal, Literals

LITERALS = Literals.of(
    [
        Literal("abab", False, (0,)),
        Literal("ba", False, (1,)),
        Literal("error", True, (2,)),
        Literal("größe", False, (3,)),
    ]
)


def lists(hits: Hits) -> dict[int, list[int]]:
    return {number: starts.tolist() for number, starts in hits.starts().items()}


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["a", "b", "ab", "ERROR", "error", "größe", "\n", "\0", "x"]), max_size=60))
def test_they_agree(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    assert plain_engine(LITERALS)(data) == hyperscan_engine(LITERALS)(data)


MANY = Literals.of(
    Literal(f"{one}{other}", False, (0,)) for one in ("loss", "lost", "größe", "a") for other in range(99)
)


@given(st.lists(st.sampled_from([*MANY.texts[::40], "loss", "lost1", "a", "g", "\n"]), max_size=4))
def test_few_begins_are_looked_up_among_many_literals(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = plain_engine(MANY)(text.encode())
    assert sorted(found.starts()) == [number for number, literal in enumerate(MANY) if literal.text in text]


def test_hits_come_in_order() -> None:
    assert lists(plain_engine(LITERALS)(b"ba abab Error ba")) == {0: [3], 1: [0, 4, 14], 2: [8]}


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    folder = tmp_path / "cache"
    first = hyperscan_engine(LITERALS, str(folder))
    (kept,) = folder.iterdir()
    if damage is None:
        kept.unlink()
    else:
        kept.write_bytes(damage)
    again = hyperscan_engine(LITERALS, str(folder))
    assert again(b"abab") == first(b"abab") != Hits(LITERALS)
    assert kept.stat().st_size > 100


def test_machines_with_other_processors_share_a_folder(tmp_path: Path) -> None:
    data = b"ba abab Error ba"
    good = hyperscan_engine(LITERALS, str(tmp_path))(data)
    (own,) = tmp_path.glob("*.hsdb")
    other = bytearray(own.read_bytes())
    other[12] ^= 0xFF  # the features of the processor: magic, version and length stand before
    own.write_bytes(other)
    assert hyperscan_engine(LITERALS, str(tmp_path))(data) == good
    assert own.read_bytes() == other  # the other kind finds its own again
    (second,) = set(tmp_path.glob("*.hsdb")) - {own}
    kept = second.stat().st_mtime_ns
    assert hyperscan_engine(LITERALS, str(tmp_path))(data) == good
    assert second.stat().st_mtime_ns == kept
    for path in (own, second, *(Path(f"{str(own)[:-5]}-{number}.hsdb") for number in (3, 4))):
        path.write_bytes(other)
    assert hyperscan_engine(LITERALS, str(tmp_path))(data) == good
    assert len(list(tmp_path.glob("*.hsdb"))) == 4


def test_a_cache_that_can_not_be_written_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert hyperscan_engine(LITERALS, str(tmp_path / "file" / "below"))(b"ba").starts()[1].tolist() == [0]


def test_no_literals_give_no_hits() -> None:
    assert len(hyperscan_engine(Literals.of([]))(b"anything")) == 0


def test_small_inputs_and_wishes_get_the_plain_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "plain_engine" in repr(engine_for(LITERALS, SMALL_BYTES - 1))
    assert "hyperscan_engine" in repr(engine_for(LITERALS, None))
    monkeypatch.setenv("LOGSENSE_ENGINE", "plain")
    assert "plain_engine" in repr(engine_for(LITERALS, None))


@given(st.lists(st.sampled_from(["out of memory", "out  of\nmemory", "x", " ", "\n", "\t", "of memory"]), max_size=30))
def test_wraps_and_blanks_are_looked_through(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    engine = over_wraps(plain_engine(Literals.of([Literal("out of memory", False, (0,))])))
    expected = [found.start() for found in re.finditer(rb"out\s+of\s+memory", data)]
    assert lists(engine(data)).get(0, []) == expected


def test_colours_are_looked_through() -> None:
    engine = over_wraps(plain_engine(Literals.of(Literal(text, False, (0,)) for text in ("a: b", "out of memory"))))
    data = b"\x1b[31mout of\x1b[0m \x1b[1mmem\x1b[0mory\x1b[K\n\x1b[1ma\x1b[0m: b"
    assert lists(engine(data)) == {0: [data.index(b"a\x1b")], 1: [5]}


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
