"""Logs are read inside of archives, in natural order, and nothing is written to the disk."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from logsense.sources.errors import InputError
from logsense.sources.resolve import resolve
from logsense.sources.source import Source, head_of

FILES = {
    "job/rank10.log": b"ten\n",
    "job/rank9.log": b"nine\n",
    "job/stderr": b"error\n",
    "job/config.json": b"{}",
    "job/model.bin": bytes(range(256)),
    "job/core.log": b"\x7fELF" + bytes(range(256)),
    "../../evil.log": b"evil\n",
}


def tar(path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("job/link.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def read(source: Source) -> bytes:
    reader = source.open()
    data = head_of(reader)
    reader.close()
    return data


def found(path: Path) -> dict[str, bytes]:
    sources = resolve([str(path)], stdin=io.BytesIO())
    return {os.path.relpath(source.name, path): read(source) for source in sources}


@pytest.mark.parametrize(
    ("name", "mode"), [("a.tar", "w"), ("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("a.tar.xz", "w:xz")]
)
def test_tar(tmp_path: Path, name: str, mode: str) -> None:
    read_ = found(tar(tmp_path / name, mode))
    assert list(read_.values()) == [b"evil\n", b"nine\n", b"ten\n", b"error\n"]
    assert os.listdir(tmp_path) == [name]


def test_zip(tmp_path: Path) -> None:
    assert list(found(zipped(tmp_path / "a.zip", FILES)).values()) == [b"evil\n", b"nine\n", b"ten\n", b"error\n"]


def test_model_in_a_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "model.zip", {"archive/data.pkl": b"\x80\x02", "archive/version": b"3\n"})
    with pytest.raises(InputError, match="looks like a binary file"):
        found(path)


def test_archive_without_logs(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    with pytest.raises(InputError, match="no logs in"):
        found(path)


def test_damaged(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", FILES)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="not a whole zip archive"):
        found(path)
    path = tar(tmp_path / "a.tar.gz", "w:gz")
    path.write_bytes(path.read_bytes()[:-30])
    found(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError):
        found(path)


def test_archive_that_vanishes(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.tar", "w")
    (source, *_) = resolve([str(path)], stdin=io.BytesIO())
    path.unlink()
    with pytest.raises(InputError):
        source.open()
