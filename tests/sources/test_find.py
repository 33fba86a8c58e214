"""Inputs become sources, or one clear line says why not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import socket
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from logsense.model.source import Source, Stdin
from logsense.sources.find import resolve
from logsense.util.errors import InputError


def sources(*inputs: str, stdin: bytes = b"") -> list[Source]:
    return resolve(inputs, stdin=io.BytesIO(stdin))


def read(source: Source, size: int = 7) -> bytes:
    reader = source.open()
    buffer = bytearray(size)
    found = b""
    while count := reader.readinto(buffer):
        found += bytes(buffer[:count])
    reader.close()
    return found


def read_all(*inputs: str) -> None:
    for source in sources(*inputs):
        read(source)


def complaint(*inputs: str) -> str:
    with pytest.raises(InputError) as caught:
        read_all(*inputs)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"hello\nworld\n")
    (source,) = sources(str(path))
    assert (source.name, source.size, source.note) == (str(path), 12, None)
    assert read(source) == b"hello\nworld\n"
    assert read(source) == b"hello\nworld\n"


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.touch()
    (source,) = sources(str(path))
    assert source.size == 0
    assert read(source) == b""


def test_standard_input() -> None:
    (source,) = sources("-", stdin=b"hello")
    assert (source.name, source.size) == ("standard input", None)
    assert read(source) == b"hello"


def test_text() -> None:
    (source,) = sources("RuntimeError: bad\n/not/a/path")
    assert source.name == "pasted text"
    assert source.size == 29
    assert read(source) == b"RuntimeError: bad\n/not/a/path"
    assert read(sources("CUDNN_STATUS_NOT_INITIALIZED")[0]) == b"CUDNN_STATUS_NOT_INITIALIZED"
    assert read(sources("x" * 10_000)[0]) == b"x" * 10_000
    assert read(sources("nul\0 byte")[0]) == b"nul\0 byte"
    assert read(sources("bad \udcff byte")[0]) == b"bad \xff byte"
    assert read(sources("")[0]) == b""


@pytest.mark.parametrize("name", ["train.log", "./x", "/no/such/place", "a/b", "~/no-such.log", "/my logs/train.log"])
def test_missing(name: str) -> None:
    assert complaint(name) == f"no such file: {name}"


def test_address() -> None:
    assert "nope:// is not supported" in complaint("nope://example.org/train.log")


def test_folder(tmp_path: Path) -> None:
    for name in ("rank10.log", "rank9.log", "sub/stderr", "job.o123", "slurm-1.out", "a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("hello\n")
    for name in ("model.pt", "code.py", "config.json", ".hidden.log", "requirements.txt", ".git/x.log", "README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("hello\n")
    (tmp_path / "binary.log").write_bytes(b"\x7fELF" + bytes(range(256)))
    (tmp_path / "packed.log.gz").write_bytes(gzip.compress(b"hello\n"))
    found = [os.path.relpath(source.name, tmp_path) for source in sources(str(tmp_path))]
    assert found == [
        "a.txt", "job.o123", "packed.log.gz", "rank9.log", "rank10.log", "slurm-1.out", "sub/stderr"
    ]  # fmt: skip


def test_a_name_with_a_line_break(tmp_path: Path) -> None:
    (tmp_path / "rank\n0.log").write_text("hello\n")
    assert [source.name for source in sources(str(tmp_path))] == [str(tmp_path / "rank\n0.log")]


def test_what_can_not_be_read_does_not_hide_the_rest(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text("hello\n")
    (tmp_path / "bad.log").symlink_to("nowhere")
    (tmp_path / "binary.bin").write_bytes(b"\x7fELF" + bytes(range(256)))
    names = [str(tmp_path / name) for name in ("bad.log", "binary.bin", "good.log", "none.log")]
    problems: list[InputError] = []
    found = resolve(names, stdin=io.BytesIO(), on_problem=problems.append)
    assert [source.name for source in found] == names[2:3]
    *unreadable, missing = map(str, problems)
    assert [problem.partition(": ")[0] for problem in unreadable] == [f"can't read {name}" for name in names[:2]]
    assert missing == f"no such file: {names[3]}"
    with pytest.raises(InputError, match=r"bad\.log"):
        resolve(names, stdin=io.BytesIO())
    with pytest.raises(InputError, match=r"bad\.log"):
        resolve(names[:2], stdin=io.BytesIO(), on_problem=problems.append)


def test_folder_without_logs(tmp_path: Path) -> None:
    assert complaint(str(tmp_path)) == f"no logs in {tmp_path}"
    (tmp_path / "binary.log").write_bytes(b"\x7fELF" + bytes(range(256)))
    assert "binary" in complaint(str(tmp_path))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / "train.log.packed"
    text = b"".join(b"line %d\n" % at for at in range(100_000))
    path.write_bytes(pack(text))
    (source,) = sources(str(path))
    assert source.size is None
    assert read(source, 1 << 16) == text
    assert source.note is None
    path.write_bytes(pack(b"one\n") + pack(b"two\n"))
    assert read(sources(str(path))[0]) == b"one\ntwo\n"
    path.write_bytes(pack(text)[:-20])
    (source,) = sources(str(path))
    assert text.startswith(read(source, 1 << 16))
    assert source.note is not None
    assert "truncated" in source.note


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_damaged(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / "train.log.gz"
    packed = bytearray(pack(os.urandom(300_000).hex().encode() + b"\n"))
    packed[len(packed) // 2 : len(packed) // 2 + 50] = bytes(50)
    path.write_bytes(packed)
    try:
        (source,) = sources(str(path))
        assert read(source, 1 << 16)
        assert source.note is not None
    except InputError as error:
        assert "damaged" in str(error)  # noqa: PT017
    path.write_bytes(pack(b"hello")[:11])
    assert str(path) in complaint(str(path))


def test_padding_behind_gzip(tmp_path: Path) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(b"one\n") + bytes(512))
    (source,) = sources(str(path))
    assert read(source) == b"one\n"
    assert source.note is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "train.log"
    path.write_bytes("hello wörld\nCUDA error\n".encode(encoding))
    assert read(sources(str(path))[0]).decode() == "hello wörld\nCUDA error\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\0\0\0",
        b"PK\x03\x04\x14\0\0\0\x08\0",
        bytes(100),
        bytes(100_000),
        bytes(range(256)) * 4,
        b"\x80\x81\xfe\xff\x01\x02" * 20 + b"\nonly one line of text\n",
        b"\x80\x81\xfe\xff\x01\x02" * 2000 + b"\none line\nand one more\n",
        b"\x7fELF\x02\x01\x01\0\0\0\x01\x02" + b"\none line\nand one more\n",
    ],
)
def test_binary(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.log"
    path.write_bytes(data)
    assert complaint(str(path)) == f"can't read {path}: looks like a binary file"


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 1000 + b"a rotated log begins with a hole\n" * 100,
        bytes(300_000) + b"a node went down, and the mount left a hole\n",
        b"\x80\x81\xfe\xff\x01\x02" * 20 + b"\nthe node is up again\nRuntimeError: bad news\n",
        "日本語のログ\n".encode("shift-jis") * 20 + b"RuntimeError: bad\n" * 20,
        b"\x1b[31mred\x1b[0m\x08\x07\n",
        "🔥 epoch 1\n".encode(),
    ],
)
def test_odd_text_is_no_binary(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(data)
    assert read(sources(str(path))[0], 100_000) == data


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.log"
    path.write_text("hello")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert complaint(str(path)) == f"can't read {path}: permission denied"


def test_dangling_link(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.symlink_to("nowhere")
    assert complaint(str(path)) == f"can't read {path}: no such file or directory"


def test_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.log")
        assert "not a file" in complaint("s.log")


def test_named_pipe(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "pipe.log"
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_bytes(b"hello\n"))
    thread.start()
    (source,) = sources(str(path))
    assert source.size is None
    assert read(source) == b"hello\n"
    thread.join()


def test_file_that_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"x" * 100)
    (source,) = sources(str(path))
    reader = source.open()
    assert reader.readinto(bytearray(10)) == 10
    os.truncate(path, 5)
    assert reader.readinto(bytearray(10)) == 0
    reader.close()


def test_file_that_vanishes(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"x" * 100)
    (source,) = sources(str(path))
    path.unlink()
    with pytest.raises(InputError):
        source.open()


class Typed:
    """A terminal, which can be read again after its end."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def readinto1(self, buffer: memoryview) -> int:
        piece = self.pieces.pop(0)
        buffer[: len(piece)] = piece
        return len(piece)


def test_what_is_typed_ends_once() -> None:
    terminal = Typed(b"one", b"", b"two")
    stream = Stdin(cast("BinaryIO", terminal))
    assert [stream.readinto(memoryview(bytearray(8))) for _ in range(3)] == [3, 0, 0]
    assert terminal.pieces == [b"two"]
