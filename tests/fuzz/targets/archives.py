"""Archives and compressed files: damaged, nested, truncated, with names that climb; nothing is written to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import tempfile
import zipfile

from logsense.sources.find import resolve
from logsense.util.errors import InputError
from tests.fuzz.seeds import logs

ENDINGS = (".log", ".tar", ".zip", ".tar.gz", ".log.gz", ".tgz", ".jsonl")
NAMES = (
    "train.log",
    "../../up.log",
    "/abs.log",
    "a/b/c.txt",
    "x" * 200 + ".log",
    "rank" + "9" * 90 + ".log",
    "a\nb.log",
)
MOST_READ = 1 << 22


def seeds() -> list[bytes]:
    """Return small archives of every kind, with the index of the file extension as first byte."""
    found = []
    text = logs()[0][:400]
    packed = [
        gzip.compress(text),
        bz2.compress(text),
        lzma.compress(text),
        gzip.compress(gzip.compress(text)),
        gzip.compress(b"\0" * 60_000),
    ]
    packed += [_tar(text), _zip(text), gzip.compress(_tar(text)), _zip(gzip.compress(text)), _tar(_zip(text))]
    for number in range(len(ENDINGS)):
        found += [bytes([number]) + data for data in (*packed, text)]
    return found


def run(data: bytes) -> None:
    """Read everything in an archive with these bytes, up to a limit that a bomb would exceed."""
    if not data:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input" + ENDINGS[data[0] % len(ENDINGS)])
        with open(path, "wb") as file:
            file.write(data[1:])
        try:
            for source in resolve([path], stdin=io.BytesIO())[:20]:
                _read(source)
        except InputError:
            pass
        assert os.listdir(folder) == [os.path.basename(path)], "something was written"


def _read(source) -> None:  # type: ignore[no-untyped-def]
    reader = source.open()
    buffer = bytearray(1 << 16)
    read = 0
    try:
        while read < MOST_READ and (count := reader.readinto(buffer)):
            read += count
    finally:
        reader.close()


def _tar(text: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in NAMES:
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
        link = tarfile.TarInfo("link.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return made.getvalue()


def _zip(text: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in NAMES:
            archive.writestr(name, text)
    return made.getvalue()
