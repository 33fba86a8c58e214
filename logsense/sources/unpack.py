"""Readers that unpack compressed logs and turn UTF-16 into UTF-8."""

from __future__ import annotations

from logsense.sources.source import CHUNK, Pump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from logsense.sources.source import Raw, Source

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))


def packing(head: bytes) -> str | None:
    """The name of the compression that the bytes at the start of a file are in; None if in none that we know."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def can_unpack(name: str) -> bool:
    """Whether this Python can unpack `name`."""
    try:
        _decompressor(name)
    except ImportError:
        return False
    return True


def wide_encoding(head: bytes) -> str | None:
    """The UTF-16 or UTF-32 that the text is in; None if in neither. Without a byte order mark, by its zero bytes."""
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    half = len(head) // 2
    if half >= 8:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        if odd > 0.7 * half and even < 0.05 * half:
            return "utf-16-le"
        if even > 0.7 * half and odd < 0.05 * half:
            return "utf-16-be"
    return None


class Unpacked(Pump):
    """The content of a compressed log. What is cut off or damaged ends it, with a note at `source`."""

    def __init__(self, below: Raw, name: str, source: Source) -> None:
        super().__init__(below)
        self._name, self._source = name, source
        self._make: Callable[[], Any] = lambda: _decompressor(name)
        self._machine = self._make()
        self._fed = b""
        self._given = 0
        self._ended = False

    def following(self) -> bytes | None:
        """The next unpacked bytes."""
        while not self._ended:
            try:
                chunk = self._step()
            except Exception as error:  # noqa: BLE001 - each library has errors of its own; all mean damage
                self._stop(f"is damaged ({error})" if str(error) else "is damaged")
                return None
            if chunk:
                self._given += len(chunk)
                return chunk
        return None

    def _step(self) -> bytes:
        machine = self._machine
        if machine.eof:
            rest = machine.unused_data or self.take()
            while rest and not rest.strip(b"\0"):  # padding, as tapes and block devices leave it
                rest = self.take()
            if not rest or packing(rest[:8]) != self._name:
                self._ended = True
                return b""
            self._machine, self._fed = self._make(), rest
            return b""
        if not self._fed and getattr(machine, "needs_input", True):
            self._fed = self.take()
            if not self._fed:
                self._stop("is cut off")
                return b""
        chunk: bytes = machine.decompress(self._fed, CHUNK)
        self._fed = getattr(machine, "unconsumed_tail", b"")
        return chunk

    def _stop(self, why: str) -> None:
        self._ended = True
        self._source.note = f"the {self._name} file {why}; its first {self._given:,} bytes of text were used"


def _decompressor(name: str) -> Any:
    if name == "gzip":
        import zlib

        return zlib.decompressobj(31)
    if name == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    if name == "xz":
        import lzma

        return lzma.LZMADecompressor()
    from importlib import import_module

    return import_module("compression.zstd").ZstdDecompressor()


class Narrowed(Pump):
    """UTF-16 or UTF-32 text as UTF-8."""

    def __init__(self, below: Raw, encoding: str) -> None:
        super().__init__(below)
        import codecs

        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ended = False

    def following(self) -> bytes | None:
        """The next bytes of UTF-8."""
        if self._ended:
            return None
        chunk = self.take()
        self._ended = not chunk
        return self._decoder.decode(chunk, self._ended).encode("utf-8", "replace")
