"""Turns a dump of PyTorch's flight recorder into log lines: the progress of each process group, unfinished collectives.

The dump is a pickle or JSON, one file a rank, written by
https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/FlightRecorder.hpp and described in
https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from logsense.model.source import ChunkReader, Raw
from logsense.unwrap.pickled import MOST_BYTES, load_plain_pickle
from logsense.util.errors import InputError

MOST_PENDING = 8  # collectives shown per process group


def is_dump(head: bytes) -> bool:
    """Return whether a file that begins with `head` is a flight recorder dump."""
    if head.startswith(b"\x80"):
        return b"pg_config" in head or b"pg_status" in head or b"profiling_name" in head
    return head.lstrip().startswith(b"{") and b'"collective_seq_id"' in head and b'"profiling_name"' in head


class DumpReader(ChunkReader):
    """Reads the dump below as lines of text. Raises InputError if it can't be decoded."""

    def __init__(self, below: Raw, name: str) -> None:
        super().__init__(below)
        self._name = name
        self._done = False

    def next_chunk(self) -> bytes | None:
        """Return the whole text, then None."""
        if self._done:
            return None
        self._done = True
        return "".join(f"{line}\n" for line in lines(self._load())).encode("utf-8", "replace")

    def _load(self) -> object:
        parts, size = [], 0
        while chunk := self.read_below():
            parts.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                raise InputError(f"can't read {self._name}: the dump is larger than {MOST_BYTES} bytes")
        data = b"".join(parts)
        try:
            return load_plain_pickle(data) if data.startswith(b"\x80") else json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError(f"can't read {self._name}: {error}") from None


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
