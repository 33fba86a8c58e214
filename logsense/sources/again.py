"""Reads a source that was read before: whole, or a few lines of it."""

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
    """`sources`, of which those that are read from pipes can be opened a second time, too."""
    return [_kept(source) if _is_pipe(source) else source for source in sources]


def _is_pipe(source: Source) -> bool:
    if source.size is not None:
        return False
    try:
        return not stat.S_ISREG(os.stat(source.name).st_mode)
    except (OSError, ValueError):
        return source.name == "standard input"


def _kept(source: Source) -> Source:
    return Source(source.name, None, _Kept(source))


class _Kept:
    """Opens a source the first time, and what was kept of it from then on."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._copy: IO[bytes] | None = None

    def __call__(self, kept: Source) -> Raw:
        if self._copy:
            self._copy.seek(0)
            return _Copy(self._copy)
        self._copy = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - it goes with the source
        return _Copying(self._source, kept, self._copy)

    def __del__(self) -> None:
        if self._copy:
            self._copy.close()


class _Copying:
    """Reads `source`, writes what it read into `copy`, and tells `kept` what became known of it."""

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
    """Reads what was kept; it stays open for a third time."""

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
    """The text of `source` within `around` lines of each of `lines` (counted from 1), in order.

    Places that lie close together share an excerpt. There is none where the source can't be read again.
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
            begun, _, marked = windows.pop()
            windows.append((begun, last, [*marked, line]))
        else:
            windows.append((first, last, [line]))
    return windows


def _read(reader: Raw, windows: list[tuple[int, int]]) -> dict[int, bytes]:
    """The lines in `windows` by their numbers, each cut to what is worth showing."""
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
        del texts[number]  # behind the last newline
    return texts


def _shown(line: bytes) -> str:
    # Of a progress bar that was drawn over and over, what stood there last.
    last = line.rstrip(b"\r").rpartition(b"\r")[2]
    text = last[:MOST_LINE_BYTES].decode("utf-8", "replace")
    return text + (" …" if len(last) > MOST_LINE_BYTES else "")
