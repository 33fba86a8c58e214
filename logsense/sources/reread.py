"""Read a source a second time: all of it, or a few lines."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping

from logsense.model.bundle import Excerpt
from logsense.model.line import place_in
from logsense.model.source import Raw, Source
from logsense.util.errors import InputError

_Window = tuple[int, int, list[int]]  # the first and last line, and those that were asked for
CHUNK_BYTES = 1 << 20
MOST_LINE_BYTES = 2000


def readable_again(sources: Iterable[Source]) -> list[Source]:
    """Return `sources`, with those that read from pipes replaced by copies on disk, which can be read many times."""
    return [_copied(source) if _is_pipe(source) else source for source in sources]


def _is_pipe(source: Source) -> bool:
    if source.size is not None:
        return False
    try:
        return not stat.S_ISREG(os.stat(source.name).st_mode)
    except (OSError, ValueError):
        return source.name == "standard input"


def _copied(source: Source) -> Source:
    try:
        copy = Source(source.name, None, _Copy(source.open()))
    except InputError:  # raised again when it is read
        return source
    copy.note, copy.places = source.note, source.places
    return copy


class _Copy:
    """A copy on disk of what `reader` reads. A call rewinds it; closing it leaves it open for another time."""

    def __init__(self, reader: Raw) -> None:
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - closed with this object
        buffer = bytearray(CHUNK_BYTES)
        while count := reader.readinto(buffer):
            self._file.write(memoryview(buffer)[:count])
        reader.close()

    def __call__(self, _source: Source) -> Raw:
        self._file.seek(0)
        return self

    def readinto(self, buffer: bytearray | memoryview, /) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        pass

    def __del__(self) -> None:
        self._file.close()


def excerpts_of(source: Source, wanted: Iterable[tuple[str, int]], around: int) -> list[Excerpt]:
    """Return the text within `around` lines of each of the places `wanted` that are in `source` or a part of it.

    A place is a name and a line number, as `Record.place` returns it. Overlapping and adjacent excerpts are merged. The
    list is empty if the source can't be read again.
    """
    lines: dict[str, set[int]] = {}
    for name, line in wanted:
        if f"{name} ".startswith(f"{source.name} "):
            lines.setdefault(name, set()).add(line)
    windows = {name: _windows(sorted(numbers), around) for name, numbers in lines.items()}
    if not windows:
        return []
    try:
        reader = source.open()
    except InputError:
        return []
    try:
        texts = _read(reader, source, windows)
    finally:
        reader.close()
    found = []
    for name, (first, last, marked) in ((name, window) for name, each in windows.items() for window in each):
        numbers = [number for number in range(first, last + 1) if (name, number) in texts]
        if numbers:
            text = "\n".join(_shown(texts[name, number]) for number in numbers)
            found.append(Excerpt(name, numbers[0], text, tuple(marked)))
    return found


def _windows(lines: list[int], around: int) -> list[_Window]:
    windows: list[_Window] = []
    for line in lines:
        first, last = max(1, line - around), line + around
        if windows and first <= windows[-1][1] + 1:
            start, _, marked = windows.pop()
            windows.append((start, last, [*marked, line]))
        else:
            windows.append((first, last, [line]))
    return windows


def _read(reader: Raw, source: Source, windows: Mapping[str, list[_Window]]) -> dict[tuple[str, int], bytes]:
    """Return the lines in `windows` by their places, each cut to a length worth showing.

    Of several lines at one place, as of a JSON entry, the last counts.
    """
    texts: dict[tuple[str, int], bytes] = {}
    buffer = bytearray(CHUNK_BYTES)
    line, piece, last = 1, b"", max(window[1] for each in windows.values() for window in each)
    while (source.places or line <= last) and (count := reader.readinto(buffer)):
        end = line + buffer.count(b"\n", 0, count)
        if source.places or any(low <= end and line <= high for each in windows.values() for low, high, _ in each):
            for at, piece in enumerate(bytes(buffer[:count]).split(b"\n")):
                name, number = place_in(source.name, source.places, line + at)
                if any(low <= number <= high for low, high, _ in windows.get(name, ())):
                    before = b"" if at else texts.get((name, number), b"")
                    texts[name, number] = (before + piece)[-8 * MOST_LINE_BYTES :]
        line = end
    end_place = place_in(source.name, source.places, line)
    if not texts.get(end_place, b"x"):
        del texts[end_place]  # after the last newline
    return texts


def _shown(line: bytes) -> str:
    # Of a redrawn progress bar, the last state.
    last = line.rstrip(b"\r").rpartition(b"\r")[2]
    text = last[:MOST_LINE_BYTES].decode("utf-8", "replace")
    return text + (" …" if len(last) > MOST_LINE_BYTES else "")
