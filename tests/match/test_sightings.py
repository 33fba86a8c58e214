"""The first and last sightings of messages are those that each record by itself would give."""

from __future__ import annotations

import random

import pytest

from logsense.match import block as blocks
from logsense.match import newest, sought
from logsense.match.engines import over_wraps, plain_engine
from logsense.match.scanner import Scanner
from logsense.match.sightings import MOST_LINES
from logsense.match.sought import MOST_KEPT, WARY
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
LINES = [
    "2024-05-01 10:00:{n:02} | WARN | lost {n} MiB on rank {n}",
    "Error: lost nothing on rank of step {n}",
    "[rank{n}]: lost 1.5 GiB on rank {n} after 12 s",
    "{n}%|####      | {n}/100 [00:{n:02}<00:40, 3.1it/s, lost=0.25]",
    "worker {n} ended with status 137",
    "worker {n} ended with status 130",
    "worker {n}: nothing lost on rank, step {n}",
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


def scan(catalog: Catalog, data: bytes, verifier: Verifier | None = None) -> Reading:
    scanner = Scanner(catalog, plain_engine(catalog.literals), records, "log", verifier=verifier)
    scanner.feed(data)
    return scanner.finish()


def lines_of(result: Reading, name: str) -> list[int]:
    return [finding.line for finding in result.findings if finding.signature.id == name]


def ends(lines: list[int]) -> list[int]:
    return lines if len(lines) <= 2 * MOST_KEPT else [*lines[:MOST_KEPT], *lines[-MOST_KEPT:]]


def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {
        "BLOCK_BYTES": 30_000,
        "CARRY_BYTES": 20_000,
        "AFTER_BYTES": 4_000,
        "PIECE_BYTES": 5_000,
    }.items():
        monkeypatch.setattr(blocks, name, size)
    monkeypatch.setattr(blocks, "CUT_BYTES", 1_000)


@pytest.mark.parametrize("often", [1, 3, 50, 2000])
@pytest.mark.parametrize("seed", range(2))
def test_they_are_the_first_and_the_last(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, often: int, seed: int
) -> None:
    small_blocks(monkeypatch)
    chance = random.Random(seed)
    texts = [
        chance.choice(LINES).format(n=chance.randrange(20)) if chance.randrange(often) == 0 else f"step {number}"
        for number in range(12_000)
    ]
    result = scan(catalog, "".join(f"{text}\n" for text in texts).encode())
    for name, says in {"demo.lost": "iB on rank", "demo.ended": "status 137"}.items():
        expected = [number for number, text in enumerate(texts, 1) if says in text]
        assert lines_of(result, name) == ends(expected)
        if len(expected) < MOST_KEPT:
            assert result.counts.get(name, 0) == len(expected)


def test_a_message_among_thousands_of_lines_with_its_words_is_found(catalog: Catalog) -> None:
    vain = b"".join(b"Error: lost nothing on rank of step %d\n" % number for number in range(30_000))
    verifier = Counted()
    result = scan(catalog, vain + b"lost 2 GiB on rank 3\n" + vain, verifier)
    assert lines_of(result, "demo.lost") == [30_001]
    assert verifier.looks < 100


def test_digits_count_only_where_a_message_names_one(catalog: Catalog) -> None:
    lines = b"".join(b"worker %d ended with status %d\n" % (n % 9, 137 if n % 2 else 138) for n in range(3000))
    verifier = Counted()
    result = scan(catalog, lines, verifier)
    assert lines_of(result, "demo.ended") == ends(list(range(2, 3001, 2)))
    assert verifier.looks <= 2 * 18  # nine workers, two statuses


def test_what_is_given_up_is_still_found_at_the_end(catalog: Catalog) -> None:
    letters = "abcdefghij"
    vain = "".join(
        "lost it on rank " + "".join(letters[int(digit)] for digit in str(number)) + "\n"
        for number in range(3 * MOST_LINES)
    ).encode()
    verifier = Counted()
    result = scan(catalog, vain + b"lost 1 GiB on rank 1\n" + vain + b"lost 2 GiB on rank 3\n", verifier)
    assert lines_of(result, "demo.lost") == [2 * 3 * MOST_LINES + 2]
    assert verifier.looks < MOST_LINES + newest.MOST_LOOKED + WARY + 10


def test_a_wrapped_message_is_found_while_its_lines_are_few(catalog: Catalog) -> None:
    engine = over_wraps(plain_engine(catalog.literals), catalog.literals)
    scanner = Scanner(catalog, engine, records, "log")
    scanner.feed(b"lost 2 GiB on\nrank 3\n")
    assert lines_of(scanner.finish(), "demo.lost") == [1]


def test_messages_of_surroundings_that_repeat_are_not_parsed_each_time(write_catalog: Write) -> None:
    """Messages that share a literal, as those of exceptions do, cost no more records than one."""
    many = {
        f"corpus/demo/a{number}.yaml": LOST.replace("demo.lost", f"demo.a{number}").replace(
            "lost {asked:size} on rank {rank:int}", f"Error: {{what:word}} went {{how:text}} of {number}"
        )
        for number in range(20, 40)
    }
    catalog = write_catalog(many)
    parsed = 0

    def counted(data: bytes, **others: object) -> list[object]:
        nonlocal parsed
        parsed += len(data)
        return records(data, **others)  # type: ignore[arg-type,return-value]

    scanner = Scanner(catalog, plain_engine(catalog.literals), counted, "log")  # type: ignore[arg-type]
    data = b"Error: disk went out of 7\n" * 100_000
    scanner.feed(data)
    scanner.finish()
    assert parsed < len(data) // 2


def test_of_older_blocks_only_so_much_is_kept(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch)
    monkeypatch.setattr(newest, "MOST_BYTES", 100_000)
    monkeypatch.setattr(sought, "MOST_KEPT", 400)
    scanner = Scanner(catalog, plain_engine(catalog.literals), records, "log")
    for number in range(2000):
        scanner.feed(b"lost 1 GiB on rank 2\n" + b"step %d\n" % number * 200)
        assert sum(window.block.end for window in scanner._newest._windows) <= 100_000
    result = scanner.finish()
    assert lines_of(result, "demo.lost")[-1] == 1999 * 201 + 1


def test_a_hit_that_begins_at_the_end_of_a_line_is_looked_at(write_catalog: Write) -> None:
    catalog = write_catalog({"corpus/demo/lost.yaml": LOST.replace("lost {asked:size} on", "{asked:size} on")})
    engine = over_wraps(plain_engine(catalog.literals), catalog.literals)
    scanner = Scanner(catalog, engine, records, "log")
    scanner.feed(b"lost 2 GiB\n on rank 3\n" * 3)
    assert lines_of(scanner.finish(), "demo.lost") == [1, 3, 5]
