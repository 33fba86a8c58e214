"""Files that are not what their names say, or not what was written: what can be read is, and one note says so."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from logsense.sources.file import file_source
from tests.sources.stores.reading import whole

LOG = b"step 1 loss 0.5\n" * 4000


def read(path: Path) -> tuple[bytes, str | None]:
    source = file_source(str(path))
    return whole(source).encode(), source.note


@pytest.mark.parametrize("times", [1, 50])
def test_a_gzip_file_with_a_wrong_checksum_is_read_to_its_end(tmp_path: Path, times: int) -> None:
    packed = bytearray(gzip.compress(LOG * times))
    packed[-8] ^= 0xFF
    (tmp_path / "train.log.gz").write_bytes(packed)
    content, note = read(tmp_path / "train.log.gz")
    assert content == LOG * times
    assert note
    assert "incorrect data check" in note
    assert f"its first {len(content):,} bytes" in note


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("train.log.gz", "not a gzip file, despite its name; read as text"),
        ("train.log.zst", "not a zstd file, despite its name; read as text"),
        ("train.zip", "not a zip file, despite its name; read as text"),
        ("train.ipynb", "not a notebook, despite its name; read as text"),
        ("train.log", None),
    ],
)
def test_a_name_that_promises_something_else(name: str, says: str | None, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(LOG)
    assert read(tmp_path / name) == (LOG, says)


def test_an_empty_file_promises_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.log.gz").touch()
    assert file_source(str(tmp_path / "train.log.gz")).note is None
