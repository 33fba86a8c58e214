"""Readers that decompress logs and turn UTF-16 into UTF-8."""

from __future__ import annotations

import codecs
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
# Modules for the last two, in order of preference; the extra `archives` installs them.
_LIBRARIES = {"zstd": ("compression.zstd", "backports.zstd"), "lz4": ("lz4.frame",)}
ARCHIVE_ENDINGS = (
    *(".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tzst"),
    *(".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar.lz4"),
)
# Past TRUSTED_BYTES, a file that unpacks to more than so many times its size counts as a decompression bomb. A log that
# repeats one line forever stays below: deflate reaches at most 1,032.
MOST_TIMES = 2000
TRUSTED_BYTES = 1 << 30
XZ_BYTES = 512 << 20  # memory for one xz stream; `xz -9` needs 65 MiB


def misnamed(path: str, head: bytes) -> str | None:
    """Return a note on a file whose first bytes contradict its name; None if they agree."""
    name = next((name for ending, name in _ENDINGS.items() if path.lower().endswith(ending)), None)
    fits = name is None or not head or packing(head) == name
    return None if fits else f"not a {name} file, despite its name; read as text"


def packing(head: bytes) -> str | None:
    """Return the name of the compression that a file with this head has; None if none is known."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def cannot_unpack(name: str) -> str:
    """Return why this Python can't decompress `name`, and what helps; "" if it can."""
    try:
        decompressor(name)
    except ImportError:
        hint = ", or pip install 'logsense-ml[archives]'" if name in _LIBRARIES else ""
        return f"unpack it first{hint}: this Python has no {name}"
    return ""


def most_bytes(packed_bytes: int) -> int:
    """Return how many bytes a file of `packed_bytes` bytes may unpack to."""
    return max(TRUSTED_BYTES, MOST_TIMES * packed_bytes)


def wide_encoding(head: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 encoding of a text, judged by its byte order mark or zero bytes; None if neither."""
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
    """The content of a compressed log. It ends where the data is truncated or damaged; then `source` gets a note."""

    def __init__(self, below: Raw, name: str, source: Source) -> None:
        super().__init__(below)
        self._name, self._source = name, source
        self._make: Callable[[], Any] = lambda: decompressor(name)
        self._machine = self._make()
        self._before: Any = None  # a copy before the current input
        self._fed = b""
        self._read = 0
        self._unpacked = 0
        self._ended = False

    def next_chunk(self) -> bytes | None:
        """Return the next bytes; None at the end."""
        while not self._ended:
            try:
                chunk = self._step()
            except Exception as error:  # noqa: BLE001 - each library has errors of its own; all mean damage
                chunk = self._rescued()
                self._unpacked += len(chunk)
                self._stop(f"is damaged ({error})" if str(error) else "is damaged")
                return chunk or None
            if self._unpacked > TRUSTED_BYTES and self._unpacked > most_bytes(self._read):
                self._stop(f"unpacks to more than {MOST_TIMES:,} times its size")
                return None
            if chunk:
                self._unpacked += len(chunk)
                return chunk
        return None

    def _step(self) -> bytes:
        machine = self._machine
        if machine.eof:
            rest = machine.unused_data or self._next_packed()
            while rest and not rest.strip(b"\0"):  # padding, as tapes and block devices leave it
                rest = self._next_packed()
            if not rest or packing(rest[:8]) != self._name:
                self._ended = True
                return b""
            self._machine, self._fed = self._make(), rest
            return b""
        if not self._fed and getattr(machine, "needs_input", True):
            self._fed = self._next_packed()
            if not self._fed:
                self._stop("is truncated")
                return b""
        self._before = machine.copy() if hasattr(machine, "copy") else None
        chunk: bytes = machine.decompress(self._fed, CHUNK)
        self._fed = getattr(machine, "unconsumed_tail", b"")
        return chunk

    def _rescued(self) -> bytes:
        """Return what precedes the damage; a library that finds damage returns nothing of that input."""
        found = bytearray()
        for at in range(len(self._fed) if self._before else 0):
            try:
                found += self._before.decompress(self._fed[at : at + 1])
            except Exception:  # noqa: BLE001, PERF203 - this is the damage
                break
        return bytes(found)

    def _next_packed(self) -> bytes:
        chunk = self.read_below()
        self._read += len(chunk)
        return chunk

    def _stop(self, why: str) -> None:
        self._ended = True
        self._source.note = f"the {self._name} file {why}; only its first {self._unpacked:,} bytes of text were read"


def decompressor(name: str) -> Any:
    """Return an incremental decompressor with the interface of bz2.BZ2Decompressor. Raises ImportError without one."""
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


class ToUtf8:
    """Converts text in `encoding` to UTF-8, in pieces."""

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def feed(self, chunk: bytes) -> bytes:
        """Return the text that `chunk` completes."""
        return self._decoder.decode(chunk).encode("utf-8", "replace")

    def finish(self) -> bytes:
        """Return the rest of the text."""
        return self._decoder.decode(b"", True).encode("utf-8", "replace")
