"""Lists the files below an address, for a survey: the name, size and time of each, and what changes when it does."""

from __future__ import annotations

from logsense.model.noun import NamedTuple
from logsense.sources.errors import InputError
from logsense.sources.remote import MOST_LOGS, connected, why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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
