"""Readers that decompress logs and turn UTF-16 into UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from logsense.model.source import CHUNK, ChunkReader, Raw, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAGIC = (
    *((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz")),
    *((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x04\x22\x4d\x18", "lz4")),
)
_ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4", ".zip": "zip", ".tar": "tar"}
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


class Unpacking:
    """Decompress a log of the kind `name` in pieces. It ends at damage, or at the limit for decompression bombs.

    `problem` says why it ended early; `unpacked_bytes` is how much text there was. Raise ImportError if this Python
    can't decompress it.
    """

    def __init__(self, name: str) -> None:
        self._name, self._machine = name, decompressor(name)
        self._taken_bytes = self.unpacked_bytes = 0
        self._follows = False  # whether nothing of another compressed part, after the first, is unpacked yet
        self.ended = False
        self.problem = ""

    def feed(self, packed: bytes) -> Iterator[bytes]:
        """Yield the text that `packed` completes, in pieces that take little memory."""
        self._taken_bytes += len(packed)
        full = False
        while not self.ended and (packed or full or not getattr(self._machine, "needs_input", True)):
            if self._machine.eof:
                packed = packed.lstrip(b"\0")  # padding, as tapes and block devices leave it
                if not packed:
                    return
                self._machine, self._follows = decompressor(self._name), True
            machine = self._machine
            before = machine.copy() if hasattr(machine, "copy") else None
            try:
                text: bytes = machine.decompress(packed, CHUNK)
            except Exception as error:  # noqa: BLE001 - each library has errors of its own; all mean damage
                text = _rescued(before, packed)
                if text or not self._follows:  # what follows a whole file may be anything
                    self._end(f"is damaged ({error})" if str(error) else "is damaged")
                self.ended = True
            else:
                full = len(text) >= CHUNK and not machine.eof
                packed = machine.unused_data if machine.eof else getattr(machine, "unconsumed_tail", b"")
            self._follows = self._follows and not text
            self.unpacked_bytes += len(text)
            if self.unpacked_bytes > TRUSTED_BYTES and self.unpacked_bytes > most_bytes(self._taken_bytes):
                self._end(f"unpacks to more than {MOST_TIMES:,} times its size")
            if text:
                yield text

    def finish(self) -> None:
        """Note that nothing follows."""
        if not self.ended and not self._machine.eof:
            self._end("is truncated")

    def _end(self, why: str) -> None:
        self.ended, self.problem = True, why


def _rescued(before: Any, packed: bytes) -> bytes:
    """Return what precedes the damage in `packed`: a library that finds damage returns nothing of that input."""
    found = bytearray()
    for at in range(len(packed) if before else 0):
        try:
            found += before.decompress(packed[at : at + 1])
        except Exception:  # noqa: BLE001, PERF203 - this is the damage
            break
    return bytes(found)


class Unpacked(ChunkReader):
    """The content of a compressed log. It ends where the data is truncated or damaged; then `source` gets a note."""

    def __init__(self, below: Raw, name: str, source: Source) -> None:
        super().__init__(below)
        self._name, self._source = name, source
        self._unpacking = Unpacking(name)
        self._texts: Iterator[bytes] = iter(())

    def next_chunk(self) -> bytes | None:
        """Return the next bytes; None at the end."""
        while (text := next(self._texts, None)) is None:
            packed = b"" if self._unpacking.ended else self.read_below()
            if not packed:
                self._note_problem()
                return None
            self._texts = self._unpacking.feed(packed)
        return text

    def _note_problem(self) -> None:
        self._unpacking.finish()
        if self._unpacking.problem:
            read = f"only its first {self._unpacking.unpacked_bytes:,} bytes of text were read"
            self._source.note = f"the {self._name} file {self._unpacking.problem}; {read}"


def decompressor(name: str) -> Any:
    """Return an incremental decompressor with the interface of bz2.BZ2Decompressor. Raise ImportError without one."""
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
    """Convert text in `encoding` to UTF-8, in pieces."""

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def feed(self, chunk: bytes) -> bytes:
        """Return the text that `chunk` completes."""
        return self._decoder.decode(chunk).encode("utf-8", "replace")

    def finish(self) -> bytes:
        """Return the rest of the text."""
        return self._decoder.decode(b"", True).encode("utf-8", "replace")
