"""Readers that unpack compressed logs and turn UTF-16 into UTF-8."""

from __future__ import annotations

from collections.abc import Callable

from logsense.model.source import CHUNK, ChunkReader, Raw, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAGIC = (
    *((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz")),
    *((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x04\x22\x4d\x18", "lz4")),
)
_ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}
# What the libraries for the last two are called: the first that is there is used, and the extra that brings one.
_LIBRARIES = {"zstd": ("compression.zstd", "backports.zstd"), "lz4": ("lz4.frame",)}
ARCHIVE_ENDINGS = (
    *(".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tzst"),
    *(".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar.lz4"),
)
# A file that unpacks to more than so many times its size is taken for a bomb once it is past the first bytes. A log
# that repeats one line for ever stays below: deflate can't do better than 1,032.
MOST_TIMES = 2000
TRUSTED_BYTES = 1 << 30
XZ_BYTES = 512 << 20  # memory for one xz stream; `xz -9` needs 65 MiB


def misnamed(path: str, head: bytes) -> str | None:
    """What to say of a file whose name promises what its first bytes do not keep; None where it does."""
    name = next((name for ending, name in _ENDINGS.items() if path.lower().endswith(ending)), None)
    fits = name is None or not head or packing(head) == name
    return None if fits else f"is not a {name} file, despite its name; it was read as text"


def packing(head: bytes) -> str | None:
    """The name of the compression that the bytes at the start of a file are in; None if in none that we know."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def cannot_unpack(name: str) -> str:
    """Why this Python can't unpack `name`, and what helps; empty where it can."""
    try:
        decompressor(name)
    except ImportError:
        helps = ", or pip install 'logsense-ml[archives]'" if name in _LIBRARIES else ""
        return f"unpack it first{helps}: this Python has no {name}"
    return ""


def most_bytes(packed_bytes: int) -> int:
    """How much a file or archive of so many bytes may unpack to."""
    return max(TRUSTED_BYTES, MOST_TIMES * packed_bytes)


def wide_encoding(head: bytes) -> str | None:
    """The UTF-16 or UTF-32 that the text is in; None if in neither. Without a byte order mark, by its zero bytes."""
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    half = len(head) // 2
    if half >= 8 and 0 in head:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        if odd > 0.7 * half and even < 0.05 * half:
            return "utf-16-le"
        if even > 0.7 * half and odd < 0.05 * half:
            return "utf-16-be"
    return None


class Unpacked(ChunkReader):
    """The content of a compressed log. What is cut off or damaged ends it, with a note at `source`."""

    def __init__(self, below: Raw, name: str, source: Source) -> None:
        super().__init__(below)
        self._name, self._source = name, source
        self._make: Callable[[], Any] = lambda: decompressor(name)
        self._machine = self._make()
        self._before: Any = None  # the machine, before what it is fed now
        self._fed = b""
        self._taken = 0
        self._given = 0
        self._ended = False

    def following(self) -> bytes | None:
        """The next unpacked bytes."""
        while not self._ended:
            try:
                chunk = self._step()
            except Exception as error:  # noqa: BLE001 - each library has errors of its own; all mean damage
                chunk = self._rescued()
                self._given += len(chunk)
                self._stop(f"is damaged ({error})" if str(error) else "is damaged")
                return chunk or None
            if self._given > TRUSTED_BYTES and self._given > most_bytes(self._taken):
                self._stop(f"unpacks to more than {MOST_TIMES:,} times its size")
                return None
            if chunk:
                self._given += len(chunk)
                return chunk
        return None

    def _step(self) -> bytes:
        machine = self._machine
        if machine.eof:
            rest = machine.unused_data or self._more()
            while rest and not rest.strip(b"\0"):  # padding, as tapes and block devices leave it
                rest = self._more()
            if not rest or packing(rest[:8]) != self._name:
                self._ended = True
                return b""
            self._machine, self._fed = self._make(), rest
            return b""
        if not self._fed and getattr(machine, "needs_input", True):
            self._fed = self._more()
            if not self._fed:
                self._stop("is cut off")
                return b""
        self._before = machine.copy() if hasattr(machine, "copy") else None
        chunk: bytes = machine.decompress(self._fed, CHUNK)
        self._fed = getattr(machine, "unconsumed_tail", b"")
        return chunk

    def _rescued(self) -> bytes:
        """What stands in front of the damage. A library that finds some gives nothing of what it was fed with it."""
        found = bytearray()
        for at in range(len(self._fed) if self._before else 0):
            try:
                found += self._before.decompress(self._fed[at : at + 1])
            except Exception:  # noqa: BLE001, PERF203 - this is the damage
                break
        return bytes(found)

    def _more(self) -> bytes:
        chunk = self.take()
        self._taken += len(chunk)
        return chunk

    def _stop(self, why: str) -> None:
        self._ended = True
        self._source.note = f"the {self._name} file {why}; its first {self._given:,} bytes of text were used"


def decompressor(name: str) -> Any:
    """What unpacks `name` bit by bit, as bz2.BZ2Decompressor does. Raises ImportError where there is none."""
    if name == "gzip":
        import zlib

        return zlib.decompressobj(31)
    if name == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    if name == "xz":
        import lzma

        return lzma.LZMADecompressor(memlimit=XZ_BYTES)
    from importlib import import_module

    for library in _LIBRARIES[name]:
        try:
            found: Any = import_module(library)
        except ImportError:
            continue
        return found.ZstdDecompressor() if name == "zstd" else found.LZ4FrameDecompressor()
    raise ImportError(name)


class Narrowed(ChunkReader):
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
