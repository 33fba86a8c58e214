"""The compiled catalog in one piece: an index, and texts that are checked and decoded when they are asked for.

A short run needs a few dozen of the thousands of texts; to check and decode all of them would be most of what it does.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHECKSUM_BYTES = 8
HEAD_BYTES = 2 * CHECKSUM_BYTES + 1
ITEM_BYTES = 4


class DamagedError(Exception):
    """The packed catalog is not what was written."""


class Stored:
    """The bytes of a file, which are read as they are asked for: a run needs few of them. Those that can't be read are
    missing."""

    def __init__(self, path: str) -> None:
        """Raises OSError."""
        self._file = -1
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._size = os.fstat(self._file).st_size

    def __del__(self) -> None:
        """Closes the file."""
        if self._file >= 0:
            os.close(self._file)

    def __len__(self) -> int:
        """The file's size."""
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a part."""
        begin, end, _ = part.indices(self._size)
        count = max(0, end - begin)
        try:
            found: bytes
            if hasattr(os, "pread"):  # not on Windows, where no two processes share the file
                found = os.pread(self._file, count, begin)
            else:
                os.lseek(self._file, begin, os.SEEK_SET)
                found = os.read(self._file, count)
        except OSError:
            return b""
        return found


class Packed:
    """What `pack` made of plain data. `renew` gives all of it anew, should a part turn out to be damaged."""

    def __init__(self, whole: bytes | Stored, renew: Callable[[], bytes] | None = None) -> None:
        """Raises DamagedError."""
        self._renew = renew
        self._take(whole)

    def _take(self, whole: bytes | Stored) -> None:
        head = whole[:HEAD_BYTES]
        try:
            size = int(head[CHECKSUM_BYTES:], 16)
        except ValueError:
            size = 0
        index = whole[HEAD_BYTES : HEAD_BYTES + size]
        if size <= 0 or head[:CHECKSUM_BYTES] != _checksum(index):
            raise DamagedError
        self._whole, self._from = whole, HEAD_BYTES + size
        self._items: dict[str, array[int]] = {}
        self.index: dict[str, Any] = json.loads(index)
        if len(whole) - self._from != self.index.get("size"):
            raise DamagedError

    def renew(self) -> None:
        """Take all of it anew. Raises DamagedError where nothing gives it."""
        if not self._renew:
            raise DamagedError
        self._take(self._renew())

    def part(self, name: str, key: str | int | None = None) -> bytes:
        """The text `name` of the index, or the one of `key` below `name`; a number is one in a list of items.

        Raises DamagedError where nothing renews it.
        """
        found = self._read(name, key)
        if found is None:
            self.renew()
            found = self._read(name, key)
        if found is None:
            raise DamagedError
        return found

    def data(self, name: str, key: str | int | None = None) -> Any:
        """The same, as JSON."""
        return json.loads(self.part(name, key))

    def numbers(self, name: str) -> array[int]:
        """A list of numbers."""
        found = array("I")
        found.frombytes(self.part(name))
        if sys.byteorder == "big":
            found.byteswap()
        return found

    def texts(self, name: str) -> list[str]:
        """Many texts."""
        found = self.part(name).decode()
        return found.split(self.index[f"{name}.separator"]) if found else []

    def _read(self, name: str, key: str | int | None) -> bytes | None:
        if isinstance(key, int):
            if name not in self._items:
                self._items[name] = self.numbers(name)
            place: Sequence[int] = self._items[name][2 * key : 2 * key + 2]
        else:
            try:
                place = self.index[name] if key is None else self.index[name][key]
            except KeyError:  # written by another state of the code
                return None
        found = self._whole[self._from + place[0] : self._from + place[1]]
        text = found[CHECKSUM_BYTES:]
        return text if found[:CHECKSUM_BYTES] == _checksum(text) else None


class Packer:
    """Puts plain data into one piece."""

    def __init__(self) -> None:
        self.index: dict[str, Any] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def put(self, text: bytes) -> list[int]:
        """Keeps `text`; gives its place."""
        begin = self._size
        self._parts += [_checksum(text), text]
        self._size += CHECKSUM_BYTES + len(text)
        return [begin, self._size]

    def items(self, name: str, texts: Iterable[bytes]) -> None:
        """Keeps texts that are asked for by their number."""
        self.numbers(name, [at for text in texts for at in self.put(text)])

    def numbers(self, name: str, items: Iterable[int]) -> None:
        """Keeps a list of numbers."""
        found = array("I", items)
        assert found.itemsize == ITEM_BYTES
        if sys.byteorder == "big":
            found.byteswap()
        self.index[name] = self.put(found.tobytes())

    def lists(self, name: str, lists: Iterable[Sequence[int]]) -> None:
        """Keeps lists of numbers: `NAME.flat` is all of them, list `n` of it ends at `NAME.cuts[n + 1]`."""
        flat: list[int] = []
        cuts = [0]
        for items in lists:
            flat += items
            cuts.append(len(flat))
        self.numbers(f"{name}.flat", flat)
        self.numbers(f"{name}.cuts", cuts)

    def texts(self, name: str, texts: Sequence[str]) -> None:
        """Keeps many texts."""
        separator = next(sign for sign in map(chr, range(0x110000)) if not any(sign in text for text in texts))
        self.index[f"{name}.separator"] = separator
        self.index[name] = self.put(separator.join(texts).encode())

    def whole(self) -> bytes:
        """All in one piece."""
        index = json.dumps({**self.index, "size": self._size}).encode()
        return b"".join([_checksum(index), b"%8x\n" % len(index), index, *self._parts])


def _checksum(text: bytes) -> bytes:
    return b"%08x" % crc32(text)
