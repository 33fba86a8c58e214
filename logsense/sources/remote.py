"""Read logs at URLs through fsspec: single ones, folders, and listings of many."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from time import time_ns
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
# Addresses may hold a password or the signature of a signed URL; output must not.
_SECRET = re.compile(r"(?<=://)[^/@]*@|[?#].*$")


def logs_at(address: str) -> list[Source]:
    """Return the logs at `address`: a file, or those in a folder or archive. Raise InputError if there are none."""
    name = _SECRET.sub("", address)
    system, path = connect(address, name)
    try:
        info = system.info(path)
        if info["type"] == "directory":
            found = system.find(path, withdirs=False)[:MOST_LOGS]
            logs = without_examples([log for log in found if _may_be_log(log.rpartition("/")[2])])
            shown = name.rstrip("/")
            if not logs:
                raise InputError(f"no logs in {name}")
            return [_source(system, log, f"{shown}/{_below(log, path)}") for log in sorted(logs, key=natural)]
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - each service has its own errors
        raise InputError(f"can't read {name}: {message_of(error)}") from None
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
    source.open().close()  # raises if it is not text
    return [source]


def _may_be_log(name: str) -> bool:
    return is_log_name(name) or is_notebook_name(name)


def connect(address: str, name: str) -> tuple[Any, str]:
    """Return the file system for `address`, and the path in it. Raise InputError if it can't be reached."""
    scheme = address.partition("://")[0].lower()
    try:
        fsspec: Any = import_module("fsspec")
    except ImportError:
        raise InputError(f"can't read {name}: download it first, or pip install 'logsense-ml[remote]'") from None
    if scheme not in fsspec.available_protocols():
        raise InputError(f"can't read {name}: {scheme}:// is not supported")
    try:
        system, path = fsspec.core.url_to_fs(address, **_options(scheme))
    except Exception as error:  # noqa: BLE001 - the error names the missing library
        raise InputError(f"can't read {name}: {message_of(error)}") from None
    return system, str(path)


def _options(scheme: str) -> dict[str, Any]:
    """Return timeouts for protocols that have none by default."""
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
        raise InputError(f"can't read {source.name}: {message_of(error)}") from None


def _can_seek(file: Any) -> bool:
    """Return whether `file` has random access; some servers send a file only from its start."""
    try:
        file.seek(1)
        file.seek(0)
    except Exception:  # noqa: BLE001
        return False
    return True


def _below(log: str, folder: str) -> str:
    """Return the path of a log relative to `folder`."""
    log, folder = log.strip("/"), folder.strip("/")
    return log[len(folder) :].strip("/") if log.startswith(folder) else log


def message_of(error: Exception) -> str:
    """Return the message of a service's error, on one line."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError):
        return "permission denied"
    words = " ".join(str(error).split())
    return f"{words[:200]}" if words else type(error).__name__


class _Stream:
    """A remote file that ends where it can no longer be read, and sets a note."""

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
            self._source.note = f"reading stopped: {message_of(error)}"
            return b""

    def close(self) -> None:
        self._below.close()


class _File(_Stream):
    """A remote file with random access."""

    def seek(self, to: int, whence: int = 0) -> int:
        return int(self._below.seek(to, whence))

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._below.tell())


# Keys of the libraries of fsspec for the time of a file, and for what changes with its content.
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")
_MARKS = ("ETag", "etag", "md5Hash", "generation", "version_id", "blob_id", "oid")


class Listed(NamedTuple):
    """A remote file. Unknown values are None; `stamp` changes whenever the file does."""

    address: str
    size_bytes: int | None
    changed_s: float | None
    stamp: str


def files_at(address: str) -> list[Listed]:
    """Return the file at `address`, or all files in the folder there. Raise InputError if it can't be read."""
    if any(letter in address.partition("://")[2] for letter in "@?#"):
        raise InputError("a survey stores the names of logs: leave passwords and signatures out of URLs")
    system, path = connect(address, address)
    try:
        info = system.info(path)
        if info["type"] != "directory" and not address.endswith("/"):  # over HTTP, a directory listing is a file too
            return [_listed(system, path, info)]
        found = system.find(path, withdirs=False, detail=True)
    except Exception as error:  # noqa: BLE001 - each service has its own errors
        raise InputError(f"can't read {address}: {message_of(error)}") from None
    return [_listed(system, str(name), info) for name, info in list(found.items())[:MOST_LOGS]]


def _listed(system: Any, path: str, info: Mapping[str, Any]) -> Listed:
    size = info.get("size")
    size_bytes = size if isinstance(size, int) else None
    changed_s = next((found for name in _TIMES if (found := _seconds(info.get(name))) is not None), None)
    mark = next((str(info[name]) for name in _MARKS if info.get(name)), None)
    if mark is None and changed_s is None:
        mark = f"unknown at {time_ns()}"
    return Listed(str(system.unstrip_protocol(path)), size_bytes, changed_s, repr((size, changed_s, mark)))


def _seconds(value: object) -> float | None:
    """Return a time as services state it, in seconds since the epoch."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.timestamp()
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
