"""The memo of line shapes gives the answers that each line would get by itself."""

from __future__ import annotations

import pytest

from logsense.match.crowd import CROWD, MOST_LOOKED, Crowd, Lines
from logsense.match.tally import Tally
from logsense.match.verify import Verifier
from logsense.model.knowledge import Catalog
from logsense.model.signature import Signature
from tests.conftest import Write

LOST = """
id: demo.lost
title: A rank lost memory
kind: failure
printed_by: https://example.org/lost
match: "lost {asked:size} on rank {rank:int}"
"""
ENDED = """
id: demo.ended
title: A worker was killed
kind: failure
printed_by: https://example.org/ended
match: "worker {rank:int} ended with status 137"
"""
LINES = [
    "2024-05-01 10:00:{n:02} | WARN | lost {n} MiB on rank {n}",
    "Error: lost nothing on node{n}, step {n}",
    "[rank{n}]: lost 1.5 GiB on rank {n} after 12 s\r",
    "{n}%|####      | {n}/100 [00:{n:02}<00:40, 3.1it/s, lost=0.25]",
    "worker {n} ended with status 137",
    "worker {n} ended with status 130",
    '  File "/opt/lib/worker {n}.py", line {n}, in lost',
]


class Counted(Verifier):
    """Counts how often a line is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def may_hold(self, signature: Signature, line: str, folded: str) -> bool:
        self.looks += 1
        return super().may_hold(signature, line, folded)


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog({"corpus/demo/lost.yaml": LOST, "corpus/demo/ended.yaml": ENDED})


def lines_of(data: bytes) -> Lines:
    def cut(offset: int) -> tuple[bytes, int]:
        begin, end = data.rfind(b"\n", 0, offset) + 1, data.index(b"\n", offset)
        return data[begin:end], end

    return Lines(cut)


def begins_of(data: bytes) -> list[int]:
    begins = [0]
    for line in data.splitlines(keepends=True)[:-1]:
        begins.append(begins[-1] + len(line))
    return begins


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", ["demo.lost", "demo.ended"])
def test_a_shape_gets_the_answer_of_each_of_its_lines(catalog: Catalog, name: str, backwards: bool) -> None:
    data = "".join(LINES[n % len(LINES)].format(n=n % 20) + "\n" for n in range(700)).replace("\r\n", "\n").encode()
    begins, verifier = begins_of(data), Counted()
    index = catalog.ids.index(name)
    crowd = Crowd(catalog, verifier, Tally())
    kept, looked = crowd.thinned(index, begins, 1 << 20, lines_of(data), backwards=backwards)
    texts = [line.decode() for line in data.splitlines()]
    plain = Verifier()
    expected = [
        begin
        for begin, text in zip(begins, texts, strict=True)
        if plain.may_hold(catalog.signature(index), text, text.lower())
    ]
    assert list(kept) == expected
    assert len(expected) == (200 if name == "demo.lost" else 100)
    assert looked == 700 > CROWD
    assert verifier.looks <= 140  # of 700


def test_digits_count_only_where_a_message_names_one(catalog: Catalog) -> None:
    data = b"".join(b"worker %d ended with status %d\n" % (n % 9, 137 if n % 2 else 138) for n in range(300))
    verifier = Counted()
    crowd = Crowd(catalog, verifier, Tally())
    lines, begins = lines_of(data), begins_of(data)
    kept, _ = crowd.thinned(catalog.ids.index("demo.ended"), begins, 1000, lines)
    assert list(kept) == begins[1::2]
    assert verifier.looks == 18  # nine workers, two statuses
    kept, _ = crowd.thinned(catalog.ids.index("demo.lost"), begins, 1000, lines)
    assert not kept
    assert verifier.looks in (19, 20)  # workers and statuses of one and the same length


def test_few_hits_are_not_looked_at_unless_others_were_in_vain(catalog: Catalog) -> None:
    data = b"lost its way\n" * CROWD
    index, begins = catalog.ids.index("demo.lost"), begins_of(data)
    tally, lines = Tally(), lines_of(data)
    crowd = Crowd(catalog, Verifier(), tally)
    assert crowd.thinned(index, begins, 1000, lines) == (begins, CROWD)
    tally.looked(index, CROWD, 0)
    assert crowd.thinned(index, begins, 1000, lines) == ([], CROWD)


def test_of_a_crowd_only_so_many_are_looked_at(catalog: Catalog) -> None:
    data = b"lost its way\n" * (MOST_LOOKED + 500)
    crowd = Crowd(catalog, Verifier(), Tally())
    assert crowd.thinned(catalog.ids.index("demo.lost"), begins_of(data), 5, lines_of(data)) == ([], MOST_LOOKED)
