"""Reads a source a second time: all of it, or a few lines."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Sequence

from logsense.model.bundle import Excerpt
from logsense.model.source import Raw, Source
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


def readable_again(sources: Iterable[Source]) -> list[Source]:
    """Return `sources`, with those that read from pipes replaced by ones that can be opened a second time."""
    return [_recorded(source) if _is_pipe(source) else source for source in sources]


def _is_pipe(source: Source) -> bool:
    if source.size is not None:
        return False
    try:
        return not stat.S_ISREG(os.stat(source.name).st_mode)
    except (OSError, ValueError):
        return source.name == "standard input"


def _recorded(source: Source) -> Source:
    return Source(source.name, None, _Recorded(source))


class _Recorded:
    """Opens a source the first time, and a copy of what it read after that."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._copy: IO[bytes] | None = None

    def __call__(self, kept: Source) -> Raw:
        if self._copy:
            self._copy.seek(0)
            return _Copy(self._copy)
        self._copy = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - closed with this object
        return _Copying(self._source, kept, self._copy)

    def __del__(self) -> None:
        if self._copy:
            self._copy.close()


class _Copying:
    """Reads `source`, copies what it reads into `copy`, and passes parts and note on to `kept`."""

    def __init__(self, source: Source, kept: Source, copy: IO[bytes]) -> None:
        self._source, self._kept, self._copy = source, kept, copy
        self._below = source.open()

    def readinto(self, buffer: bytearray | memoryview, /) -> int:
        count = self._below.readinto(buffer) or 0
        self._copy.write(memoryview(buffer)[:count])
        return count

    def close(self) -> None:
        self._below.close()
        self._kept.parts, self._kept.note = self._source.parts, self._source.note


class _Copy:
    """Reads the copy; leaves it open for another time."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readinto(self, buffer: bytearray | memoryview, /) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        pass


CHUNK_BYTES = 1 << 20
MOST_LINE_BYTES = 2000


def excerpts_of(source: Source, lines: Sequence[int], around: int) -> list[Excerpt]:
    """Return the text of `source` within `around` lines of each of `lines` (numbered from 1), in order.

    Overlapping and adjacent excerpts are merged. The list is empty if the source can't be read again.
    """
    windows = _windows(sorted(set(lines)), around)
    if not windows:
        return []
    try:
        reader = source.open()
    except InputError:
        return []
    try:
        texts = _read(reader, [(first, last) for first, last, _ in windows])
    finally:
        reader.close()
    found = []
    for first, last, marked in windows:
        numbers = [number for number in range(first, last + 1) if number in texts]
        if numbers:
            text = "\n".join(_shown(texts[number]) for number in numbers)
            found.append(Excerpt(source.name, numbers[0], text, tuple(marked)))
    return found


def _windows(lines: list[int], around: int) -> list[tuple[int, int, list[int]]]:
    windows: list[tuple[int, int, list[int]]] = []
    for line in lines:
        first, last = max(1, line - around), line + around
        if windows and first <= windows[-1][1] + 1:
            start, _, marked = windows.pop()
            windows.append((start, last, [*marked, line]))
        else:
            windows.append((first, last, [line]))
    return windows


def _read(reader: Raw, windows: list[tuple[int, int]]) -> dict[int, bytes]:
    """Return the lines in `windows` by number, each cut to a length worth showing."""
    texts: dict[int, bytes] = {}
    buffer = bytearray(CHUNK_BYTES)
    number, last = 1, windows[-1][1]
    while number <= last and (count := reader.readinto(buffer)):
        newlines = buffer.count(b"\n", 0, count)
        here = [(low, high) for low, high in windows if low <= number + newlines and number <= high]
        for at, piece in enumerate(bytes(buffer[:count]).split(b"\n") if here else ()):
            if any(low <= number + at <= high for low, high in here):
                texts[number + at] = (texts.get(number + at, b"") + piece)[-8 * MOST_LINE_BYTES :]
        number += newlines
    if not texts.get(number, b"x"):
        del texts[number]  # after the last newline
    return texts


def _shown(line: bytes) -> str:
    # Of a redrawn progress bar, the last state.
    last = line.rstrip(b"\r").rpartition(b"\r")[2]
    text = last[:MOST_LINE_BYTES].decode("utf-8", "replace")
    return text + (" …" if len(last) > MOST_LINE_BYTES else "")
