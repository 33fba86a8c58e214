"""Logs on other machines: a file system in memory, and a real HTTP server on loopback."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from logsense.model.source import Source
from logsense.sources.find import is_address, resolve
from logsense.util.errors import InputError

fsspec = pytest.importorskip("fsspec")
TEXT = b"step 1\n" * 1000 + b"the end\n"


def whole(source: Source) -> bytes:
    reader, buffer, found = source.open(), bytearray(1 << 12), []
    while count := reader.readinto(buffer):
        found.append(bytes(buffer[:count]))
    reader.close()
    return b"".join(found)


def read(address: str) -> dict[str, bytes]:
    return {source.name: whole(source) for source in resolve([address], stdin=io.BytesIO())}


def archives() -> dict[str, bytes]:
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("job/rank0.log", TEXT)
    with tarfile.open(fileobj=tarred, mode="w:gz") as tar:
        info = tarfile.TarInfo("job/rank0.log")
        info.size = len(TEXT)
        tar.addfile(info, io.BytesIO(TEXT))
    return {"a.zip": zipped.getvalue(), "a.tar.gz": tarred.getvalue()}


@pytest.fixture
def memory() -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for name, data in {
        "j/train.log": TEXT,
        "j/train.log.gz": gzip.compress(TEXT),
        "j/deep/rank10.log": b"ten\n",
        "j/deep/rank9.log": b"nine\n",
        "j/model.bin": b"\x7fELF" + bytes(100),
        "empty/x.bin": b"",
        **{f"packed/{name}": data for name, data in archives().items()},
    }.items():
        system.pipe(f"/logsense-tests/{name}", data)
    yield "memory://logsense-tests"
    system.rm("/logsense-tests", recursive=True)


def test_files(memory: str) -> None:
    assert read(f"{memory}/j/train.log") == {f"{memory}/j/train.log": TEXT}
    assert read(f"{memory}/j/train.log.gz") == {f"{memory}/j/train.log.gz": TEXT}
    (source,) = resolve([f"{memory}/j/train.log"], stdin=io.BytesIO())
    assert source.size == len(TEXT)


def test_a_folder(memory: str) -> None:
    found = read(f"{memory}/j/")
    assert {name[len(memory) :]: data for name, data in found.items()} == {
        "/j/deep/rank9.log": b"nine\n",
        "/j/deep/rank10.log": b"ten\n",
        "/j/train.log": TEXT,
        "/j/train.log.gz": TEXT,
    }
    assert next(iter(found)).endswith("rank9.log")


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_archives(memory: str, name: str) -> None:
    assert read(f"{memory}/packed/{name}") == {f"{memory}/packed/{name}/job/rank0.log": TEXT}


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("memory://logsense-tests/j/nowhere.log", "no such file"),
        ("memory://logsense-tests/j/model.bin", "looks like a binary file"),
        ("memory://logsense-tests/empty", "no logs in memory://logsense-tests/empty"),
        ("nope://x/y", "nope:// is not supported"),
        ("http://127.0.0.1:1/train.log", "can't read http://127.0.0.1:1/train.log: "),
        ("http://user:secret@127.0.0.1:1/train.log?token=secret", "can't read http://127.0.0.1:1/train.log: "),
    ],
)
def test_what_can_not_be_read(memory: str, address: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        read(address)
    assert why in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_an_address() -> None:
    for name in ("s3://bucket/key", "https://h/x.log?a=b", "hf://datasets/a/b", "abfs://c@a/x"):
        assert is_address(name)
    for text in ("see https://h/x", "https://h/x failed", "a/b", "://x", "tcp://", "[c10d] tcp://h:1", "x y://z", ""):
        assert not is_address(text)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "train.log").write_bytes(TEXT)
    for name, data in archives().items():
        (tmp_path / name).write_bytes(data)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_http(server: str) -> None:
    for address, shown in (
        ("train.log", "train.log"),
        ("train.log?token=secret", "train.log"),
        ("a.tar.gz", "a.tar.gz/job/rank0.log"),
    ):
        assert read(f"{server}/{address}") == {f"{server}/{shown}": TEXT}
    with pytest.raises(InputError, match="no such file"):
        read(f"{server}/nowhere.log")


def test_without_the_library() -> None:
    code = (
        "import sys; sys.modules['fsspec'] = None; from logsense.cli.main import main; sys.exit(main(['s3://b/x.log']))"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ended.returncode == 2
    assert "can't read s3://b/x.log: download it first, or pip install 'logsense-ml[remote]'" in ended.stderr


def test_only_an_address_opens_a_connection(tmp_path: Path) -> None:
    watched = (
        "import os, sys; sys.addaudithook(lambda event, _: event in ('socket.connect', 'socket.getaddrinfo') "
        "and os.write(2, b'connects')); from logsense.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    (tmp_path / "train.log").write_text("RuntimeError: see https://example.org/help\n")

    def connects(*inputs: str) -> bool:
        ended = subprocess.run([sys.executable, "-c", watched, *inputs], check=False, capture_output=True)
        return b"connects" in ended.stderr

    assert connects("http://127.0.0.1:1/train.log")
    assert not connects("OSError: can't reach http://127.0.0.1:1/train.log")
    assert not connects(str(tmp_path / "train.log"))
    assert not connects("nope://127.0.0.1:1/train.log")
