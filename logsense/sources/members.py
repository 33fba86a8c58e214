"""Iterate over the files in a tar or zip archive, in archive order, within limits."""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, cast

from logsense.model.source import CHUNK, Raw, can_seek, head_of
from logsense.util.errors import InputError
from logsense.util.noun import NamedTuple

MOST_MEMBERS = 100_000
MOST_HEADER_BYTES = 16 << 20  # a name or extended header of a tar archive
MOST_HELD_BYTES = 64 << 20  # a zip archive in another one, kept in memory: it needs random access
MOST_LISTED_BYTES = 16 << 20  # the central directory of a zip archive
_ZIP_END_BYTES = (64 << 10) + 98  # the longest comment, and the records before it
_TAR_MARK = (257, b"ustar")
_LONG_HEADERS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.XGLTYPE,
)


class RefusedError(Exception):
    """An archive exceeds a limit; the message says which, without the archive's name."""


class Member(NamedTuple):
    """A file in an archive: name, bytes (None if unknown), and a function that opens it while it is the current one."""

    name: str
    size: int | None
    open: Callable[[], Raw]


class Limits:
    """What a walk through an archive, including nested ones, may cost."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._spent, self._members = most_bytes, 0, 0

    def spend(self, count: int) -> None:
        """Count unpacked bytes. Raise RefusedError if there are too many."""
        self._spent += count
        if self._spent > self._most:
            raise RefusedError(f"the archive unpacks to more than {self._most:,} bytes, too much for its size")

    def count_member(self) -> None:
        """Count a file. Raise RefusedError if there are too many."""
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise RefusedError(f"the archive holds more than {MOST_MEMBERS:,} files; the rest was skipped")


def kind_of(head: bytes) -> str | None:
    """Return "tar" or "zip" for the first bytes of an archive; None for anything else."""
    if head.startswith(b"PK\x03\x04"):
        return "zip"
    at, mark = _TAR_MARK
    return "tar" if head[at : at + len(mark)] == mark else None


def members_of(reader: Raw, kind: str, limits: Limits) -> Iterator[Member]:
    """Yield the files in the archive that `reader` is at the start of, without links, devices and folders.

    Closing the iterator closes the archive, not `reader`. Damage raises what Python's modules raise.
    """
    return _in_tar(reader, limits) if kind == "tar" else _in_zip(reader, limits)


def _in_tar(reader: Raw, limits: Limits) -> Iterator[Member]:
    with tarfile.open(fileobj=cast("Any", _Readable(reader)), mode="r|", bufsize=CHUNK, tarinfo=_Info) as archive:
        while (info := archive.next()) is not None:
            cast("Any", archive).members.clear()  # they would accumulate
            limits.count_member()
            if info.isreg():
                yield Member(info.name, info.size, _opener(archive.extractfile, info, limits))


def _in_zip(reader: Raw, limits: Limits) -> Iterator[Member]:
    file = cast("Any", reader) if can_seek(reader) else _in_memory(reader)
    listed = _listed_bytes(file)
    if listed > MOST_LISTED_BYTES:  # zipfile loads all of it, at ten times its size
        raise RefusedError(f"the archive's directory takes {listed:,} bytes; unpack it first")
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            limits.count_member()
            if not info.is_dir():
                yield Member(info.filename, info.file_size, _opener(archive.open, info, limits))


def _listed_bytes(file: Any) -> int:
    """Return the size of a zip archive's central directory, as its last record states it; 0 without one.

    https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT 4.3.14 and 4.3.16
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _ZIP_END_BYTES))
    end = file.read(_ZIP_END_BYTES)
    file.seek(0)
    at, at64 = end.rfind(b"PK\5\6"), end.rfind(b"PK\6\6")
    size_bytes = int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else 0
    size64_bytes = int.from_bytes(end[at64 + 40 : at64 + 48], "little") if at64 >= 0 else 0
    return size64_bytes if size_bytes == 0xFFFFFFFF else size_bytes


def _opener(open_: Callable[[Any], Any], info: object, limits: Limits) -> Callable[[], Raw]:
    return lambda: _Metered(open_(info), limits)


def _in_memory(reader: Raw) -> Any:
    held, buffer = BytesIO(), bytearray(CHUNK)
    while count := reader.readinto(buffer):
        held.write(memoryview(buffer)[:count])
        if held.tell() > MOST_HELD_BYTES:
            raise InputError(
                f"a zip archive of more than {MOST_HELD_BYTES >> 20} MiB in another archive; unpack it first"
            )
    return held


class _Metered:
    """A file in an archive whose bytes count towards the limits."""

    def __init__(self, below: Any, limits: Limits) -> None:
        self._below, self._limits = below, limits

    def readinto(self, buffer: bytearray | memoryview) -> int:
        data = self._below.read(len(buffer))
        self._limits.spend(len(data))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._below.close()


class _Info(tarfile.TarInfo):
    """The header of a file in a tar archive, refused before a name or extended header of any size is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Info:
        found = super().frombuf(buf, encoding, errors)
        if found.type in _LONG_HEADERS and found.size > MOST_HEADER_BYTES:
            raise RefusedError("the archive has a header that is too large")
        return found


class _Readable:
    """A reader with the method that `tarfile` needs to read it as a stream."""

    def __init__(self, below: Raw) -> None:
        self._below = below

    def read(self, size: int) -> bytes:
        return head_of(self._below, size)
