"""Logs are read inside of archives, in natural order, and nothing is written to the disk."""

from __future__ import annotations

import gc
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.model.source import CHUNK, Source, head_of
from logsense.sources.archive import MOST_DEPTH, safe_name
from logsense.sources.find import resolve
from logsense.sources.members import MOST_HELD_BYTES, MOST_MEMBERS, Limits, RefusedError
from logsense.sources.unpack import TRUSTED_BYTES, most_bytes
from logsense.util.errors import InputError

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


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc")
def test_an_archive_is_closed_without_the_garbage_collector(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.tar", "w")
    gc.disable()
    try:
        found(path)
        open_files = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
    finally:
        gc.enable()
    assert str(path) not in open_files


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
    with pytest.raises(InputError, match="the archive is damaged"):
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


PROGRAMS = {
    "a.tar.gz": "tar -czf a.tar.gz job",
    "a.tar.bz2": "tar -cjf a.tar.bz2 job",
    "a.tar.xz": "tar -cJf a.tar.xz job",
    "a.tar.zst": "tar -cf - job | zstd -q -o a.tar.zst",
    "a.tzst": "tar -cf - job | zstd -q --long=27 -o a.tzst",
    "a.tar.lz4": "tar -cf - job | lz4 -q - a.tar.lz4",
    "b.tar": "tar --format=v7 -cf - job > old.bin; tar --format=pax -cf b.tar job",
    "c.tar": "tar --format=gnu --sparse -cf c.tar job",
    "a.zip": "zip -qr a.zip job",
    "b.zip": "zip -q0r b.zip job",
    "nested.tar.gz": "zip -qr inner.zip job && tar -cf inner.tar inner.zip && tar -czf nested.tar.gz inner.tar",
    "packed.tar": "zstd -q --rm job/rank0.log && gzip job/rank10.log && lz4 -q -m --rm job/rank9.log && tar -cf packed.tar job",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_programs_make(tmp_path: Path, name: str) -> None:
    job = tmp_path / "job"
    job.mkdir()
    texts = [f"log of rank {rank}\n".encode() * 50_000 * (rank == 9) + b"the end\n" for rank in (0, 9, 10)]
    for rank, text in zip((0, 9, 10), texts, strict=True):
        (job / f"rank{rank}.log").write_bytes(text)
    command = PROGRAMS[name]
    if any(word in command.split() and not shutil.which(word) for word in ("tar", "zip", "zstd", "lz4")):
        pytest.skip("a program is missing")
    subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True)
    sources = resolve([str(tmp_path / name)], stdin=io.BytesIO())
    assert [whole(source) for source in sources] == texts
    assert [whole(source) for source in reversed(sources)] == texts[::-1]
    assert [os.path.basename(source.name).split(".")[0] for source in sources] == ["rank0", "rank9", "rank10"]
    assert not any(source.note for source in sources)


def whole(source: Source) -> bytes:
    reader, buffer, found = source.open(), bytearray(1 << 16), []
    while count := reader.readinto(buffer):
        found.append(bytes(buffer[:count]))
    reader.close()
    return b"".join(found)


def test_two_logs_open_at_once(tmp_path: Path) -> None:
    sources = resolve([str(tar(tmp_path / "a.tar.gz", "w:gz"))], stdin=io.BytesIO())
    readers = [source.open() for source in sources]
    assert [head_of(reader) for reader in readers] == [b"evil\n", b"nine\n", b"ten\n", b"error\n"]
    for reader in readers:
        reader.close()


def test_names_that_climb(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"/etc/x.log": b"1\n", "..\\..\\y.log": b"2\n", "./z/../w.log": b"3\n"})
    assert list(found(path)) == ["etc/x.log", "y.log", "z/w.log"]
    assert safe_name("../..") == "log"


def nested(depth: int) -> bytes:
    name, data = "x.log", b"deep\n"
    for _ in range(depth):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        name, data = "x.tar.gz", packed.getvalue()
    return data


def test_archives_in_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(nested(MOST_DEPTH))
    assert list(found(path).values()) == [b"deep\n"]
    path.write_bytes(nested(MOST_DEPTH + 1))
    with pytest.raises(InputError, match="is nested more than 3 archives deep"):
        found(path)


def test_damage_inside_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    zipped(path, {"bad.tar.gz": nested(1)[:60], "good.log": b"good\n"})
    (source,) = resolve([str(path)], stdin=io.BytesIO())
    assert whole(source) == b"good\n"
    assert source.note
    assert source.note.startswith("bad.tar.gz: ")


def test_too_large_a_zip_inside(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.xz"
    zipped(tmp_path / "in.zip", {"x.log": b"x\n"})
    with tarfile.open(path, "w:xz", preset=0) as archive:
        info = tarfile.TarInfo("in.zip")
        info.size = MOST_HELD_BYTES + CHUNK
        archive.addfile(info, Padded((tmp_path / "in.zip").read_bytes()))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a zip archive of more than 64 MiB"):
        found(path)


class Padded:
    """Bytes, then zeros for ever."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int) -> bytes:
        part, self._data = self._data[:size], self._data[size:]
        return part.ljust(size, b"\0")


@pytest.mark.slow
def test_bomb(tmp_path: Path) -> None:
    zstd = pytest.importorskip("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    line = b"a" * 1023 + b"\n"
    frame = zstd.compress(line * 200_000)
    path = tmp_path / "train.log.zst"
    path.write_bytes(frame * 8)
    (source,) = resolve([str(path)], stdin=io.BytesIO())
    reader, buffer, count = source.open(), bytearray(1 << 20), 0
    while got := reader.readinto(buffer):
        count += got
    reader.close()
    assert TRUSTED_BYTES <= count < TRUSTED_BYTES + (1 << 20)
    assert source.note
    assert "unpacks to more than 2,000 times its size" in source.note


def test_limits() -> None:
    limits = Limits(most_bytes(1))
    limits.spend(TRUSTED_BYTES)
    with pytest.raises(RefusedError, match="unpacks to more than"):
        limits.spend(1)
    for _ in range(MOST_MEMBERS):
        limits.count_member()
    with pytest.raises(RefusedError, match="more than 100,000 files"):
        limits.count_member()
    assert most_bytes(1 << 30) == 2000 << 30


def test_huge_header(tmp_path: Path) -> None:
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 1 << 32
    path = tmp_path / "a.tar"
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + bytes(4096))
    with pytest.raises(InputError, match="a header that is too large"):
        found(path)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage(data: st.DataObject) -> None:
    """Whatever happens to an archive, it is read, or refused in one sentence."""
    with tempfile.TemporaryDirectory() as folder:
        name = data.draw(st.sampled_from(["a.tar", "a.tar.gz", "a.tar.xz", "a.zip"]))
        path = Path(folder) / name
        if name == "a.zip":
            zipped(path, FILES)
        else:
            tar(path, {"a.tar": "w", "a.tar.gz": "w:gz", "a.tar.xz": "w:xz"}[name])
        packed = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(0, 4))):
            packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(packed[: data.draw(st.integers(1, len(packed)))])
        said = ""
        try:
            for source in resolve([str(path)], stdin=io.BytesIO()):
                whole(source)
        except InputError as error:
            said = str(error)
        assert "\n" not in said


@pytest.mark.parametrize(("name", "library"), [("a.log.lz4", "lz4"), ("a.tar.lz4", "lz4")])
def test_without_the_library(tmp_path: Path, name: str, library: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x04\x22\x4d\x18" + bytes(100))
    code = f"import sys; sys.modules[{library!r}] = None; from logsense.cli.main import main; sys.exit(main([{str(path)!r}]))"
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ended.returncode == 2
    assert f"can't read {path}: unpack it first, or pip install 'logsense-ml[archives]'" in ended.stderr


def test_a_zip_that_lists_too_much_is_not_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("rank_0.log", "x\n")
        archive.comment = b"made by hand"
    assert len(resolve([str(path)], stdin=io.BytesIO())) == 1
    data = bytearray(path.read_bytes())
    told = data.rindex(b"PK\5\6") + 12
    data[told : told + 4] = (17 << 20).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(InputError, match="directory takes 17,825,792 bytes; unpack it first"):
        resolve([str(path)], stdin=io.BytesIO())
