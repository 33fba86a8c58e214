"""Reads the lines around some places of a log once more."""

from __future__ import annotations

from logsense.model.bundle import Excerpt
from logsense.sources.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from logsense.sources.source import Raw, Source

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
