"""The sieve never hides a literal, and leaves out what holds none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.match import engines, sieve
from logsense.match.engines import hyperscan_engine, plain_engine
from logsense.match.sieve import WINDOW_BYTES, Sieve, windows
from logsense.model.knowledge import Catalog, Literal, Literals

TEXTS = [
    "CUDA error: out of memory",
    "CUDA error: invalid device",
    "speicher größe zu klein",
    "nan",
    "Loss is Infinite",
]
LITERALS = Literals.of(Literal(text, text.startswith("loss"), (0,)) for text in TEXTS)
PIECES = [*TEXTS, "Loss IS infinite", "CUDA error: ", " device", "größe", "step 1\n", "x" * 100, "." * 3000]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "SIEVED_BYTES", 0)
    monkeypatch.setattr(sieve, "MADE_AFTER_BYTES", -1)


def made(literals: Literals, longest: int) -> Sieve:
    one = Sieve(literals, longest, None)
    one.spots(b"")  # asks where it may be kept; the next time it is made
    return one


def test_each_literal_holds_a_window(built_in_catalog: Catalog) -> None:
    chosen = set(windows(built_in_catalog.literals))
    assert len(chosen) < len(built_in_catalog.literals) / 2
    for number, text in enumerate(built_in_catalog.literals.texts):
        data, folded = text.encode(), number in built_in_catalog.literals.folded
        begins = range(max(0, len(data) - WINDOW_BYTES) + 1)
        assert any((data[at : at + WINDOW_BYTES], folded) in chosen for at in begins), text


@settings(max_examples=100)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_nothing_is_missed(pieces: list[str]) -> None:
    engine = hyperscan_engine(LITERALS)
    engine(b"")
    data = "".join(pieces).encode()
    assert engine(data, 7) == plain_engine(LITERALS)(data, 7)


def test_only_what_is_near_is_searched() -> None:
    data = b"." * 10_000 + TEXTS[0].encode() + b"." * 10_000
    (spot,) = made(LITERALS, 30).spots(data) or []
    assert 9_950 < spot[0] <= 10_000
    assert 10_000 + len(TEXTS[0]) <= spot[1] < 10_100


def test_where_much_is_near_all_is_searched() -> None:
    one, full = made(LITERALS, 30), b"nan " * (sieve.MOST_SPOTS + 1)
    assert one.spots(full) is None
    assert [one.spots(b"quiet") for _ in range(sieve.PASSED + 1)] == [*[None] * sieve.PASSED, []]
    assert hyperscan_engine(LITERALS)(full) == plain_engine(LITERALS)(full)


def test_it_is_kept_for_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Sieve(LITERALS, 30, str(tmp_path)).spots(b"nan") is None
    assert not list(tmp_path.iterdir())
    first = Sieve(LITERALS, 30, str(tmp_path))
    assert [first.spots(b"nan"), first.spots(b"nan")] == [None, [(0, 3)]]
    monkeypatch.setattr(sieve, "MADE_AFTER_BYTES", 1 << 60)
    assert Sieve(LITERALS, 30, str(tmp_path)).spots(b"nan") == [(0, 3)]
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(b"nonsense")
    assert Sieve(LITERALS, 30, str(tmp_path)).spots(b"nan") is None
