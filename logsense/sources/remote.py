"""Logs at addresses, through fsspec: single ones, folders, and listings of many."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from logsense.model.source import Raw, Source, head_of
from logsense.sources.archive import logs_in
from logsense.sources.file import is_plain, opened
from logsense.sources.folder import is_log_name, is_notebook_name, natural, without_examples
from logsense.sources.unpack import ARCHIVE_ENDINGS
from logsense.util.errors import InputError
from logsense.util.noun import NamedTuple

MOST_LOGS = 100_000
CONNECT_S, ANSWER_S = 30.0, 60.0
# What addresses may hold and answers must not: a password, and the query of a signed address.
_SECRET = re.compile(r"(?<=://)[^/@]*@|[?#].*$")


def logs_at(address: str) -> list[Source]:
    """The logs at `address`: of a file, of a folder, or in an archive there. Raises InputError where there are none."""
    name = _SECRET.sub("", address)
    system, path = connected(address, name)
    try:
        info = system.info(path)
        if info["type"] == "directory":
            found = system.find(path, withdirs=False)[:MOST_LOGS]
            logs = without_examples([log for log in found if _may_be_log(log.rpartition("/")[2])])
            shown = name.rstrip("/")
            return [
                _source(system, log, f"{shown}/{_below(log, path)}") for log in sorted(logs, key=natural)
            ] or _nothing(name)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - each service has errors of its own
        raise InputError(f"can't read {name}: {why(error)}") from None
    size = info.get("size")
    if name.lower().endswith(ARCHIVE_ENDINGS):
        packed = Source(name, None, lambda source: _open(system, path, source))
        sources = logs_in(name, packed.open, size)
        if sources:
            return sources
    source = _source(system, path, name)
    if isinstance(size, int):
        reader = _open(system, path, source)
        source.size = size if is_plain(head_of(reader)) else None
        reader.close()
    source.open().close()  # to see that it is a text
    return [source]


def _may_be_log(name: str) -> bool:
    return is_log_name(name) or is_notebook_name(name)


def connected(address: str, name: str) -> tuple[Any, str]:
    """The file system that knows `address`, and the path there."""
    scheme = address.partition("://")[0].lower()
    try:
        fsspec: Any = import_module("fsspec")
    except ImportError:
        raise InputError(f"can't read {name}: download it first, or pip install 'logsense-ml[remote]'") from None
    if scheme not in fsspec.available_protocols():
        raise InputError(f"can't read {name}: {scheme}:// is not known")
    try:
        system, path = fsspec.core.url_to_fs(address, **_options(scheme))
    except Exception as error:  # noqa: BLE001 - a library that is missing says which
        raise InputError(f"can't read {name}: {why(error)}") from None
    return system, str(path)


def _options(scheme: str) -> dict[str, Any]:
    """What keeps a connection from waiting for ever, where we have to say it."""
    if scheme not in ("http", "https"):
        return {}
    aiohttp: Any = import_module("aiohttp")
    limit = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=ANSWER_S)
    return {"client_kwargs": {"timeout": limit}}


def _source(system: Any, path: str, name: str) -> Source:
    return Source(name, None, lambda source: opened(_open(system, path, source), source))


def _open(system: Any, path: str, source: Source) -> Raw:
    try:
        file = system.open(path, "rb")
        return _File(file, source) if _can_seek(file) else _Stream(file, source)
    except Exception as error:  # noqa: BLE001
        raise InputError(f"can't read {source.name}: {why(error)}") from None


def _can_seek(file: Any) -> bool:
    """Whether any byte can be read next; some servers give a file only from its start."""
    try:
        file.seek(1)
        file.seek(0)
    except Exception:  # noqa: BLE001
        return False
    return True


def _below(log: str, folder: str) -> str:
    """The path of a log below the folder that was asked for."""
    log, folder = log.strip("/"), folder.strip("/")
    return log[len(folder) :].strip("/") if log.startswith(folder) else log


def _nothing(name: str) -> list[Source]:
    raise InputError(f"no logs in {name}")


def why(error: Exception) -> str:
    """What a service says about its refusal, on a line."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError):
        return "permission denied"
    words = " ".join(str(error).split())
    return f"{words[:200]}" if words else type(error).__name__


class _Stream:
    """A file elsewhere that ends where it can no longer be read, and notes that."""

    def __init__(self, below: Any, source: Source) -> None:
        self._below, self._source = below, source

    def readinto(self, buffer: bytearray | memoryview) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read(self, size: int = -1) -> bytes:
        try:
            return bytes(self._below.read(size))
        except Exception as error:  # noqa: BLE001
            self._source.note = f"reading stopped: {why(error)}"
            return b""

    def close(self) -> None:
        self._below.close()


class _File(_Stream):
    """The same, of which any byte can be read next."""

    def seek(self, to: int, whence: int = 0) -> int:
        return int(self._below.seek(to, whence))

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._below.tell())


# What the libraries of fsspec call the time of a file, and what is another whenever its content is.
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")
_MARKS = ("ETag", "etag", "md5Hash", "generation", "version_id", "blob_id", "oid")


class Listed(NamedTuple):
    """A file elsewhere. What the service does not say is None; `stamp` is another when the file has changed."""

    address: str
    size_bytes: int | None
    changed_s: float | None
    stamp: str


def files_at(address: str) -> list[Listed]:
    """The file at `address`, or all files of the folder there. Raises InputError where it can't be read."""
    if any(letter in address.partition("://")[2] for letter in "@?#"):
        raise InputError("a survey keeps the names of logs: leave passwords and signatures out of addresses")
    system, path = connected(address, address)
    try:
        info = system.info(path)
        if info["type"] != "directory" and not address.endswith("/"):  # over HTTP a list of files is a file, too
            return [_listed(system, path, info)]
        found = system.find(path, withdirs=False, detail=True)
    except Exception as error:  # noqa: BLE001 - each service has errors of its own
        raise InputError(f"can't read {address}: {why(error)}") from None
    return [_listed(system, str(name), info) for name, info in list(found.items())[:MOST_LOGS]]


def _listed(system: Any, path: str, info: Mapping[str, Any]) -> Listed:
    from time import time_ns

    size = info.get("size")
    size_bytes = size if isinstance(size, int) else None
    changed_s = next((found for name in _TIMES if (found := _seconds(info.get(name))) is not None), None)
    mark = next((str(info[name]) for name in _MARKS if info.get(name)), None)
    if mark is None and changed_s is None:
        mark = f"unknown at {time_ns()}"
    return Listed(str(system.unstrip_protocol(path)), size_bytes, changed_s, repr((size, changed_s, mark)))


def _seconds(value: object) -> float | None:
    """A time as services give it, in seconds since the epoch."""
    from datetime import datetime

    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.timestamp()
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
