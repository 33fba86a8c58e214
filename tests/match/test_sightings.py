"""Of each message the first and the last sightings are found, however large the source and whatever resembles it."""

from __future__ import annotations

import random

import pytest

from logsense.match import block as blocks
from logsense.match import sightings
from logsense.match.engines import PlainEngine
from logsense.match.look import LineShapes, Look
from logsense.match.scanner import Scanner
from logsense.match.sightings import FIRST
from logsense.match.verify import Verifier
from logsense.model.knowledge import Catalog
from logsense.model.reading import Reading
from logsense.model.signature import Signature
from logsense.records.records import records
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
CHECKED = r"""
id: demo.checked
title: A check failed
kind: failure
printed_by: https://example.org/checked
pattern: '(?m)^checking (?P<what__text>[^\n]{1,80})\nnot passed'
literal: ["checking "]
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


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog({"corpus/demo/lost.yaml": LOST, "corpus/demo/ended.yaml": ENDED})


def scan(catalog: Catalog, data: bytes) -> Reading:
    scanner = Scanner(catalog, PlainEngine(catalog.literals), records, "log")
    scanner.feed(data)
    return scanner.finish()


def lines_of(reading: Reading, name: str) -> list[int]:
    return [finding.line for finding in reading.findings if finding.signature.id == name]


@pytest.mark.parametrize("often", [3, 100, 2000])
def test_the_first_and_the_last_are_found_with_their_lines(
    catalog: Catalog, often: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("BLOCK_BYTES", 100_000), ("CARRY_BYTES", 40_000)):
        monkeypatch.setattr(blocks, name, size)
    chance = random.Random(often)
    texts = ["lost 1 GiB on rank {}", "worker {} ended with status 137", "lost nothing on rank {}"]
    lines = [(chance.choice(texts) if chance.randrange(often) == 0 else "step {}").format(n) for n in range(1, 40_001)]
    reading = scan(catalog, "".join(f"{line}\n" for line in lines).encode())
    for name, sign in (("demo.lost", "lost 1 GiB"), ("demo.ended", "worker")):
        true = [number for number, line in enumerate(lines, 1) if line.startswith(sign)]
        found = lines_of(reading, name)
        assert found[: min(FIRST, len(true))] == true[:FIRST]
        assert found[-1] == true[-1]
        assert set(found) <= set(true)
        if len(true) <= FIRST:
            assert (found, reading.counts[name]) == (true, len(true))


def test_the_last_that_stands_far_in_front_of_the_end(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("BLOCK_BYTES", 100_000), ("CARRY_BYTES", 40_000)):
        monkeypatch.setattr(blocks, name, size)
    many = b"".join(b"lost %d MiB on rank 3\n" % number for number in range(20_000))
    reading = scan(catalog, many + b"step 1\n" * 200_000)
    assert lines_of(reading, "demo.lost")[-1] == 20_000
    assert len(reading.findings) > FIRST


def test_memory_has_an_end(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100_000)
    kept = sightings.Sightings(catalog, Verifier(), records, "log")
    monkeypatch.setattr("logsense.match.scanner.Sightings", lambda *_: kept)
    scan(catalog, b"".join(b"lost %d MiB on rank 3\nlost its way\n" % number for number in range(50_000)))
    assert len(kept._newest) <= sightings.NEWEST_BLOCKS
    assert len(kept._windows) <= len(catalog.ids)


@pytest.mark.parametrize("name", ["demo.lost", "demo.ended"])
def test_one_among_very_many_that_resemble_it(catalog: Catalog, name: str) -> None:
    true = {"demo.lost": b"lost 1 GiB on rank 2\n", "demo.ended": b"worker 2 ended with status 137\n"}[name]
    vain = b"lost its way\nworker 7 ended with status 1\n"
    assert lines_of(scan(catalog, vain * 50 + true + vain * 20_000), name) == [101]
    assert lines_of(scan(catalog, vain * 20_000 + true + vain * 50), name) == [40_001]


def test_one_that_takes_two_lines_among_many_that_resemble_it(write_catalog: Write) -> None:
    catalog = write_catalog({"corpus/demo/checked.yaml": CHECKED})
    vain = b"checking small\npassed\n" + b"step 1\n" * 200
    assert lines_of(scan(catalog, vain * 1000 + b"checking large\nnot passed\n"), "demo.checked") == [202_001]


FINISHED = r"""
id: demo.finished
title: Work is finished
kind: end
printed_by: https://example.org/finished
pattern: '(?mi)^(?:work )?(?:finished|done)$'
literal: ["inished"]
"""


def test_one_that_begins_its_line_behind_a_prefix(write_catalog: Write) -> None:
    catalog = write_catalog({"corpus/demo/finished.yaml": FINISHED})
    vain = b"2024-05-01 10:00:00 | INFO | unfinished part\n"
    assert lines_of(scan(catalog, vain * 100 + b"2024-05-01 10:00:01 | INFO | Finished\n" + vain), "demo.finished") == [
        101
    ]


@pytest.mark.parametrize(("count", "more"), [(2 * FIRST - 1, False), (3 * FIRST, True)])
def test_a_message_between_the_first_and_the_last_is_only_counted(catalog: Catalog, count: int, more: bool) -> None:
    reading = scan(catalog, b"".join(b"worker %d ended with status 137\n" % rank for rank in range(count)))
    assert ("demo.ended" in reading.only_counted) is more


class Counted(Verifier):
    """Counts how often a line is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def may_hold(self, signature: Signature, line: str, folded: str) -> bool:
        self.looks += 1
        return super().may_hold(signature, line, folded)


def could_hold(catalog: Catalog, verifier: Verifier, name: str, data: bytes) -> list[bool]:
    """Whether the signature could hold in each of the lines of `data`."""
    block = blocks.Block(data)
    block.begin, block.end = 0, len(data)
    look = Look(LineShapes(catalog, verifier), block, records, "log")
    begins = [0]
    for line in data.splitlines(keepends=True)[:-1]:
        begins.append(begins[-1] + len(line))
    return [bool(look.likely((catalog.ids.index(name),), begin)) for begin in begins]


@pytest.mark.parametrize("name", ["demo.lost", "demo.ended"])
def test_a_shape_gets_the_answer_of_each_of_its_lines(catalog: Catalog, name: str) -> None:
    data = "".join(LINES[n % len(LINES)].format(n=n % 20) + "\n" for n in range(700)).replace("\r\n", "\n").encode()
    verifier, plain = Counted(), Verifier()
    signature = catalog.signature(catalog.ids.index(name))
    expected = [plain.may_hold(signature, line, line.lower()) for line in data.decode().splitlines()]
    assert could_hold(catalog, verifier, name, data) == expected
    assert sum(expected) == (200 if name == "demo.lost" else 100)
    assert verifier.looks <= 140  # of 700


def test_digits_count_only_where_a_message_names_one(catalog: Catalog) -> None:
    data = b"".join(b"worker %d ended with status %d\n" % (n % 9, 137 if n % 2 else 138) for n in range(300))
    verifier = Counted()
    assert could_hold(catalog, verifier, "demo.ended", data) == [n % 2 == 1 for n in range(300)]
    assert verifier.looks == 18  # nine workers, two statuses
    assert not any(could_hold(catalog, verifier, "demo.lost", data))
    assert verifier.looks in (19, 20)  # workers and statuses of one and the same length
