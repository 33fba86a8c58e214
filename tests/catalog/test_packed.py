"""The compiled catalog in one piece, in memory or in a file that others may change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logsense.catalog.packed import DamagedError, Packed, Packer, Stored


def packed() -> bytes:
    packer = Packer()
    packer.items("texts", [b"one", b"two" * 1000, b""])
    packer.texts("names", ["a", "b\n", ""])
    packer.numbers("numbers", [1, 2**31])
    return packer.whole()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    where = tmp_path / "catalog.bin"
    where.write_bytes(packed())
    return where


def test_a_file_gives_what_memory_gives(path: Path) -> None:
    for one in (Packed(packed()), Packed(Stored(str(path)))):
        assert [one.part("texts", number) for number in range(3)] == [b"one", b"two" * 1000, b""]
        assert one.texts("names") == ["a", "b\n", ""]
        assert list(one.numbers("numbers")) == [1, 2**31]


@pytest.mark.parametrize("size", [0, 5, 40, -1])
def test_a_file_that_is_too_short_is_told_at_once(path: Path, size: int) -> None:
    os.truncate(path, size if size >= 0 else len(packed()) - 1)
    with pytest.raises(DamagedError):
        Packed(Stored(str(path)))


def test_a_file_that_shrinks_or_changes_later_is_made_anew(path: Path) -> None:
    def renew() -> bytes:
        renewed.append(True)
        return packed()

    for change in ("shrinks", "changes"):
        path.write_bytes(packed())
        renewed: list[bool] = []
        one = Packed(Stored(str(path)), renew)
        if change == "shrinks":
            os.truncate(path, 300)
        else:
            path.write_bytes(packed().replace(b"twotwo", b"tootoo", 1))
        assert one.part("texts", 1) == b"two" * 1000
        assert renewed == [True]


def test_nothing_renews_it(path: Path) -> None:
    one = Packed(Stored(str(path)))
    os.truncate(path, 300)
    with pytest.raises(DamagedError):
        one.part("texts", 1)


def test_a_file_is_closed_with_its_last_use(path: Path) -> None:
    before = len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0
    one = Packed(Stored(str(path)))
    del one
    assert not before or len(os.listdir("/dev/fd")) == before
