"""Flight recorder: a dump of PyTorch's, as the progress of each process group and the collectives that did not finish.

The dump is a pickle or JSON, one file a rank, written by
https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/FlightRecorder.hpp and described in
https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from logsense.model.line import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

name = "flight recorder"

MOST_BYTES = 256 << 20
MOST_PENDING = 8  # collectives shown per process group
# Opcodes of https://docs.python.org/3/library/pickletools.html that name code, or allocate before they read.
_REFUSED = {
    *("GLOBAL", "STACK_GLOBAL", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "REDUCE", "BUILD", "PERSID", "BINPERSID"),
    *("EXT1", "EXT2", "EXT4", "BYTEARRAY8", "NEXT_BUFFER", "READONLY_BUFFER"),
}
_INDEXED = {"PUT", "BINPUT", "LONG_BINPUT"}
_MOST_AHEAD = 1000  # of the memo's size; programs number its entries in order


def begins(head: bytes) -> bool:
    """Return whether a file that begins with `head` is a flight recorder dump."""
    if head.startswith(b"\x80"):
        return b"pg_config" in head or b"pg_status" in head or b"profiling_name" in head
    return head.lstrip().startswith(b"{") and b'"collective_seq_id"' in head and b'"profiling_name"' in head


def step(_: bytes) -> Dump:
    """Return what unwraps a dump."""
    return Dump()


class Dump:
    """Take the bytes of a dump and return its lines at the end; `error` says why it can't be decoded."""

    def __init__(self) -> None:
        self.places = Places()
        self.error: str | None = None
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> bytes:
        """Return nothing."""
        self._size += len(chunk)
        if self._size <= MOST_BYTES:
            self._parts.append(chunk)
        return b""

    def finish(self) -> bytes:
        """Return the lines."""
        data, self._parts = b"".join(self._parts), []
        try:
            if self._size > MOST_BYTES:
                raise ValueError(f"the dump is larger than {MOST_BYTES} bytes")
            dump = load_plain_pickle(data) if data.startswith(b"\x80") else json.loads(data)
        except (ValueError, RecursionError) as error:
            self.error = str(error)
            return b""
        return "".join(f"{line}\n" for line in lines(dump)).encode("utf-8", "replace")


def load_plain_pickle(data: bytes) -> object:
    """Return the value in `data`: numbers, texts, bytes, lists, tuples, sets and dictionaries.

    Raise ValueError if the pickle is broken or holds anything else. Its opcodes are checked before it is loaded: of a
    damaged memo index, the unpickler allocates gigabytes.
    """
    import io
    import pickle
    import pickletools

    class Plain(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> NoReturn:
            raise pickle.UnpicklingError(f"it names {module}.{name}")

    known = 0
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name in _REFUSED:
                raise pickle.UnpicklingError(f"it holds more than plain values ({opcode.name})")
            known += opcode.name in _INDEXED
            if opcode.name in _INDEXED and int(argument) > known + _MOST_AHEAD:  # type: ignore[arg-type]
                raise pickle.UnpicklingError("a memo index is out of range")
        return Plain(io.BytesIO(data)).load()
    except Exception as error:  # noqa: BLE001  (broken bytes raise many kinds)
        raise ValueError(f"broken or unsafe: {error}") from None


def lines(dump: object) -> Iterator[str]:
    """Yield one line for each process group of a decoded dump, and one for each collective that did not finish."""
    if not isinstance(dump, dict):
        return
    entries = [one for one in _list(dump.get("entries")) if isinstance(one, dict)]
    config = _dict(dump.get("pg_config"))
    for group, status in _dict(dump.get("pg_status")).items():
        about = _dict(status)
        enqueued, completed = about.get("last_enqueued_collective"), about.get("last_completed_collective")
        if not isinstance(enqueued, int) or not isinstance(completed, int):
            continue
        members = _dict(config.get(group, config.get("") if len(config) == 1 else None)).get("ranks")
        yield (
            f"flight recorder: process group {_word(group)}{f' of ranks {members}' if members else ''}: "
            f"last enqueued collective {enqueued}, last completed collective {completed}"
        )
        if enqueued > completed >= 0:
            pending = [one for one in entries if _group(one) == str(group) and _number(one) > completed]
            yield from map(_line, pending[:MOST_PENDING])


def _line(entry: Mapping[object, object]) -> str:
    frame = next((one for one in map(_dict, _list(entry.get("frames"))) if _is_own(one)), {})
    at = f" called at {frame.get('filename')}:{frame.get('line')} in {frame.get('name')}" if frame else ""
    sizes = json.dumps(entry.get("input_sizes"), separators=(",", ":"), default=str)
    return (
        f"flight recorder: collective {_number(entry)} of process group {_word(_group(entry))} did not finish: "
        f"{_word(entry.get('profiling_name'))} of {sizes}{at}"
    )


def _is_own(frame: Mapping[object, object]) -> bool:
    """Return whether a frame belongs to the user's code rather than to the framework."""
    name = str(frame.get("filename", ""))
    return bool(name) and "/torch/" not in name.replace("\\", "/")


def _group(entry: Mapping[object, object]) -> str:
    name = _list(entry.get("process_group"))
    return str(name[0]) if name else str(entry.get("pg_id"))


def _number(entry: Mapping[object, object]) -> int:
    number = entry.get("collective_seq_id")
    return number if isinstance(number, int) else -1


def _word(value: object) -> str:
    return "".join(str(value).split()) or "?"


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _dict(value: object) -> dict[object, object]:
    return value if isinstance(value, dict) else {}
