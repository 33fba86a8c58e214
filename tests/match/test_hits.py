"""One list of hits by their ends gives what lists of starts, one for each literal, would give."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logsense.match.hits import Hits
from logsense.model.knowledge import Literal, Literals

# Two literals stand for one signature, and one for two.
LITERALS = Literals.of(
    [
        Literal("aa", False, (0,)),
        Literal("bbbbbb", False, (1, 2)),
        Literal("größe", False, (2,)),
        Literal("z", True, (3,)),
    ]
)
STARTS = st.dictionaries(st.integers(0, 3), st.lists(st.integers(0, 300), unique=True, min_size=1).map(sorted))


def lists(hits: Hits) -> dict[int, list[int]]:
    return {number: list(starts) for number, starts in hits.starts().items()}


def end_of(number: int, start: int) -> int:
    return start + len(LITERALS.texts[number].encode())


@given(STARTS)
def test_they_are_kept_by_their_ends(starts: dict[int, list[int]]) -> None:
    hits = Hits.of(LITERALS, starts)
    assert lists(hits) == starts
    assert list(hits.ends) == sorted(end_of(number, start) for number, some in starts.items() for start in some)
    assert len(hits) == sum(map(len, starts.values()))


@given(STARTS, st.integers(0, 310))
def test_they_are_parted_and_joined(starts: dict[int, list[int]], end: int) -> None:
    hits = Hits.of(LITERALS, starts)
    before, behind = hits.parted(end)
    assert all(one <= end for one in before.ends)
    assert all(one > end for one in behind.ends)
    assert before.followed_by(behind) == hits


@given(STARTS, STARTS)
def test_those_of_two_engines_are_put_together(starts: dict[int, list[int]], more: dict[int, list[int]]) -> None:
    both = {number: sorted({*starts.get(number, ()), *more.get(number, ())}) for number in {*starts, *more}}
    hits = Hits.of(LITERALS, starts).together(Hits.of(LITERALS, more))
    assert lists(hits) == both
    assert list(hits.ends) == sorted(hits.ends)


@given(STARTS, st.integers(1, 9))
def test_the_newest_of_each_are_given(starts: dict[int, list[int]], most: int) -> None:
    newest = Hits.of(LITERALS, starts).newest(most)
    assert newest is not None
    assert {number: list(some) for number, some in newest.items()} == {n: some[-most:] for n, some in starts.items()}


def test_too_many_are_not_looked_through() -> None:
    near = Hits.of(LITERALS, {0: [*range(100)], 1: [90]})
    far = Hits.of(LITERALS, {0: [*range(100)], 1: [5]})
    assert near.newest(2, 20) is not None
    assert far.newest(2, 20) is None
    assert far.newest(60, 20) is None


@given(STARTS, st.sets(st.integers(0, 3)), st.integers(0, 3))
def test_signatures_have_the_hits_of_all_their_literals(
    starts: dict[int, list[int]], indices: set[int], most: int
) -> None:
    hits = Hits.of(LITERALS, starts)
    expected: dict[int, list[int]] = {}
    for number, some in starts.items():
        for index in LITERALS.signatures(number):
            expected.setdefault(index, []).extend(some)
    assert hits.counts() == {index: len(some) for index, some in expected.items()}
    wanted = {index: sorted(some) for index, some in expected.items() if index in indices}
    assert {index: list(some) for index, some in hits.offsets(indices).items()} == wanted
    last = hits.by_signature(hits.starts(), indices, most)
    assert {index: list(some) for index, some in last.items()} == {i: some[-most:] for i, some in wanted.items()}
