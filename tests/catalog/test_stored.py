"""The compiled catalog in one piece, in memory or in a file that others may change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logsense.catalog.stored import DamagedError, FileBytes, NumberLists, Store, StoreWriter
from logsense.model.rule import Comparison, FactIs
from logsense.model.system import Commands

LISTS: tuple[list[int], ...] = ([1, 2**31], [], [3])
TEXTS = ("one", "two" * 1000, "")
CONDITION = FactIs("driver.version", (Comparison("one_of", ("535", "550"), times=2.0),))
COMMANDS = Commands(True, lacks=frozenset({"python", "sed"}))


def stored() -> bytes:
    writer = StoreWriter()
    writer.put_all("texts", TEXTS)
    writer.index["lists"] = writer.put(NumberLists.pack(LISTS))
    writer.index["nouns"] = {"condition": writer.put(CONDITION), "commands": writer.put({"x": COMMANDS})}
    return writer.whole()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    where = tmp_path / "catalog.bin"
    where.write_bytes(stored())
    return where


def test_a_file_gives_what_memory_gives(path: Path) -> None:
    for one in (Store(stored()), Store(FileBytes(str(path)))):
        assert [one.value("texts", number) for number in range(3)] == [*TEXTS]
        assert [list(numbers) for numbers in NumberLists(one.value("lists"))] == [*LISTS]
        assert one.value("nouns", "condition") == CONDITION
        assert one.value("nouns", "commands") == {"x": COMMANDS}


@pytest.mark.parametrize("size", [0, 5, 40, -1])
def test_a_file_that_is_too_short_is_told_at_once(path: Path, size: int) -> None:
    os.truncate(path, size if size >= 0 else len(stored()) - 1)
    with pytest.raises(DamagedError):
        Store(FileBytes(str(path)))


def test_a_file_that_shrinks_or_changes_later_is_made_anew(path: Path) -> None:
    def renew() -> bytes:
        renewed.append(True)
        return stored()

    for change in ("shrinks", "changes"):
        path.write_bytes(stored())
        renewed: list[bool] = []
        one = Store(FileBytes(str(path)), renew)
        if change == "shrinks":
            os.truncate(path, 300)
        else:
            path.write_bytes(stored().replace(b"twotwo", b"tootoo", 1))
        assert one.value("texts", 1) == TEXTS[1]
        assert renewed == [True]


def test_nothing_renews_it(path: Path) -> None:
    one = Store(FileBytes(str(path)))
    os.truncate(path, 300)
    with pytest.raises(DamagedError):
        one.value("texts", 1)


def test_a_file_is_closed_with_its_last_use(path: Path) -> None:
    before = len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0
    one = Store(FileBytes(str(path)))
    del one
    assert not before or len(os.listdir("/dev/fd")) == before
