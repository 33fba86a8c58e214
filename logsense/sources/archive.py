"""Finds the logs in a tar or zip archive and reads them where they are: nothing is unpacked to the disk."""

from __future__ import annotations

import os

from logsense.sources.errors import InputError
from logsense.sources.file import opened
from logsense.sources.folder import is_sure_log_name, natural
from logsense.sources.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from logsense.sources.source import Raw

MOST_MEMBERS = 100_000
_TAR_MARK = (257, b"ustar")


def kind_of(head: bytes) -> str | None:
    """Whether these are the first bytes of a "tar" or "zip" archive; None if of neither."""
    if head.startswith(b"PK\x03\x04"):
        return "zip"
    at, mark = _TAR_MARK
    return "tar" if head[at : at + len(mark)] == mark else None


def logs_in(path: str, kind: str) -> list[Source]:
    """The logs in the archive at `path`, in natural order. Raises InputError where there is none to be read."""
    try:
        names = _tar_names(path) if kind == "tar" else _zip_names(path)
    except Exception as error:  # noqa: BLE001 - each kind of damage has an error of its own
        raise InputError(f"can't read {path}: not a whole {kind} archive ({error})") from None
    names = [name for name in names if is_sure_log_name(os.path.basename(name))]
    if not names and kind == "zip":  # models and documents are zip archives as well
        raise InputError(f"can't read {path}: looks like a binary file")
    sources = [_member(path, kind, name) for name in sorted(names, key=natural)]
    found = [source for source in sources if _is_text(source)]
    if not found:
        raise InputError(f"no logs in {path}")
    return found


def _member(path: str, kind: str, name: str) -> Source:
    opener = _open_tar if kind == "tar" else _open_zip

    def open_member(source: Source) -> Raw:
        try:
            reader = opener(path, name)
        except Exception as error:  # noqa: BLE001
            raise InputError(f"can't read {source.name}: {error}") from None
        return opened(_Patient(reader, source), source)

    return Source(f"{path}/{name}", None, open_member)


def _is_text(source: Source) -> bool:
    try:
        reader = source.open()
    except InputError:
        return False
    reader.close()
    return True


class _Patient:
    """A member that ends where the archive is damaged, and notes that."""

    def __init__(self, below: Any, source: Source) -> None:
        self._below, self._source = below, source

    def readinto(self, buffer: bytearray | memoryview) -> int:
        try:
            data = self._below.read(len(buffer))
        except Exception as error:  # noqa: BLE001
            self._source.note = f"the archive is damaged ({error})"
            return 0
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._below.close()


def _tar_names(path: str) -> list[str]:
    import tarfile

    found: list[str] = []
    with tarfile.open(path, "r:*") as archive:
        try:
            for member in archive:
                if member.isreg():
                    found.append(member.name)
                if len(found) >= MOST_MEMBERS:
                    break
        except (tarfile.TarError, OSError, EOFError):
            pass  # cut off: what came before can be read
    return found


def _open_tar(path: str, name: str) -> Any:
    import tarfile

    archive = tarfile.open(path, "r:*")  # noqa: SIM115 - closed with the member
    try:
        for member in archive:
            if member.name == name and member.isreg():
                return _Member(archive.extractfile(member), archive)
        raise InputError("the archive has changed")
    except BaseException:
        archive.close()
        raise


def _zip_names(path: str) -> list[str]:
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return [info.filename for info in archive.infolist()[:MOST_MEMBERS] if not info.is_dir()]


def _open_zip(path: str, name: str) -> Any:
    import zipfile

    archive = zipfile.ZipFile(path)
    try:
        return _Member(archive.open(name), archive)
    except BaseException:
        archive.close()
        raise


class _Member:
    """An open member, and its archive, which is closed with it."""

    def __init__(self, reader: Any, archive: Any) -> None:
        self.read: Callable[[int], bytes] = reader.read
        self._reader, self._archive = reader, archive

    def close(self) -> None:
        self._reader.close()
        self._archive.close()
