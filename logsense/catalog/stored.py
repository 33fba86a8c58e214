"""The compiled catalog in one file: an index, and values that are read, checked and decoded on demand.

A short run needs a few dozen of the thousands of values. They are written by `marshal`, which is fast but may crash on
damaged bytes, so each has a checksum.
"""

from __future__ import annotations

import marshal
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence

from logsense.model import knowledge, rule, signature, system
from logsense.util.checksums import with_checksum, without_checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Place = tuple[int, int]  # where a value begins and ends

# What a value may consist of, besides what marshal knows.
NOUNS: tuple[Any, ...] = tuple(
    noun
    for module in (rule, signature, system, knowledge)
    for noun in vars(module).values()
    if isinstance(noun, type) and issubclass(noun, tuple) and noun.__module__ == module.__name__
)
_NUMBERS = {noun: number for number, noun in enumerate(NOUNS)}
_MARSHAL = 2  # the format that every Python reads, in which equal values are equal bytes
_SIZE_BYTES = 4  # of the size of the index, which the file begins with


class DamagedError(Exception):
    """The stored catalog is not what was written."""


class FileBytes:
    """The bytes of a file, read as they are asked for; those that can't be read are missing."""

    def __init__(self, path: str) -> None:
        """Raise OSError."""
        self._file = -1
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._size = os.fstat(self._file).st_size

    def __del__(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)

    def __len__(self) -> int:
        """Return the size of the file."""
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        """Return the bytes of `part`."""
        begin, end, _ = part.indices(self._size)
        count = max(0, end - begin)
        try:
            if hasattr(os, "pread"):  # not on Windows, where no two processes share the file
                return bytes(os.pread(self._file, count, begin))
            os.lseek(self._file, begin, os.SEEK_SET)
            return os.read(self._file, count)
        except OSError:
            return b""


class NumberLists(Sequence["array[int]"]):
    """Lists of numbers in two arrays, which take a small part of the memory of tuples."""

    def __init__(self, packed: tuple[bytes, bytes]) -> None:
        """Unpack what `pack` returned."""
        self._flat, self._cuts = map(_unpacked, packed)

    @staticmethod
    def pack(lists: Iterable[Iterable[int]]) -> tuple[bytes, bytes]:
        """Return `lists` as a value for the store."""
        flat: list[int] = []
        cuts = [0]
        for numbers in lists:
            flat += numbers
            cuts.append(len(flat))
        return _packed(flat), _packed(cuts)

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self._cuts) - 1

    def __getitem__(self, number: int) -> array[int]:  # type: ignore[override]
        """Return the list with this number."""
        return self._flat[self._cuts[number] : self._cuts[number + 1]]


class Store:
    """What a `StoreWriter` wrote. `renew` returns all of it again if a part turns out to be damaged."""

    def __init__(self, whole: bytes | FileBytes, renew: Callable[[], bytes] | None = None) -> None:
        """Raise DamagedError."""
        self._renew = renew
        self._take(whole)

    def _take(self, whole: bytes | FileBytes) -> None:
        begin = _SIZE_BYTES + int.from_bytes(whole[:_SIZE_BYTES], "little")
        index = without_checksum(whole[_SIZE_BYTES:begin])
        if not index:
            raise DamagedError
        self._whole, self._begin = whole, begin
        self._places: dict[str, array[int]] = {}
        self.index: dict[str, Any] = marshal.loads(index)  # noqa: S302 - its checksum is right
        if len(whole) - begin != self.index.get("size"):
            raise DamagedError

    def renew(self) -> None:
        """Take all of it again. Raise DamagedError if nothing returns it."""
        if not self._renew:
            raise DamagedError
        self._take(self._renew())

    def value(self, name: str, key: str | int | None = None) -> Any:
        """Return the value that the index calls `name`, or the one of `key` there. Raise DamagedError."""
        found = self._read(name, key)
        if found is None:
            self.renew()
            found = self._read(name, key)
        if found is None:
            raise DamagedError
        return _decoded(marshal.loads(found))  # noqa: S302 - its checksum is right

    def _read(self, name: str, key: str | int | None) -> bytes | None:
        try:
            if isinstance(key, int):
                if name not in self._places:
                    self._places[name] = _unpacked(self.index[name])
                begin, end = self._places[name][key : key + 2]
            else:
                begin, end = self.index[name] if key is None else self.index[name][key]
        except KeyError:  # written by another state of the code
            return None
        return without_checksum(self._whole[self._begin + begin : self._begin + end])


class StoreWriter:
    """Write values, whose places the caller enters in `index`."""

    def __init__(self) -> None:
        self.index: dict[str, Any] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def put(self, value: object) -> Place:
        """Write `value` and return its place."""
        begin = self._size
        self._parts.append(with_checksum(marshal.dumps(_encoded(value), _MARSHAL)))
        self._size += len(self._parts[-1])
        return begin, self._size

    def put_all(self, name: str, values: Iterable[object]) -> None:
        """Write `values`, which the index calls `name` and their numbers."""
        self.index[name] = _packed([self._size, *(self.put(value)[1] for value in values)])

    def whole(self) -> bytes:
        """Return everything in one piece."""
        index = with_checksum(marshal.dumps({**self.index, "size": self._size}, _MARSHAL))
        return b"".join([len(index).to_bytes(_SIZE_BYTES, "little"), index, *self._parts])


def _encoded(value: Any) -> Any:
    """Return `value` with each noun as a list of its class's number and its fields; no value holds other lists."""
    kind = type(value)
    if kind in _NUMBERS:
        return [_NUMBERS[kind], *map(_encoded, value)]
    if kind is tuple:
        return tuple(map(_encoded, value))
    if kind is dict:
        return {key: _encoded(one) for key, one in value.items()}
    assert kind is not list, value
    return value


def _decoded(value: Any) -> Any:
    kind = type(value)
    if kind is list:
        return NOUNS[value[0]](*map(_decoded, value[1:]))
    if kind is tuple:
        return tuple(map(_decoded, value))
    if kind is dict:
        return {key: _decoded(one) for key, one in value.items()}
    return value


def _packed(numbers: Iterable[int]) -> bytes:
    return _little_endian(array("I", numbers)).tobytes()


def _unpacked(packed: bytes) -> array[int]:
    return _little_endian(array("I", packed))


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
