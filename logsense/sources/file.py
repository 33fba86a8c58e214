"""Open a file as a log: looks at its first bytes, decompresses, transcodes and unwraps as needed."""

from __future__ import annotations

import os
import re

from logsense.model.source import File, Raw, Replayed, Source, Step, StepReader, head_of
from logsense.sources.unpack import ToUtf8, Unpacked, cannot_unpack, misnamed, packing, wide_encoding
from logsense.util.errors import InputError, NoLogError

_MAGIC = (
    *(b"\x7fELF", b"PK\x03\x04", b"\x89PNG", b"\x89HDF", b"\xff\xd8\xff", b"\x80\x02", b"\x80\x04", b"\x80\x05"),
    *(b"%PDF", b"GIF8", b"MZ\x90", b"\xca\xfe\xba\xbe", b"\x93NUMPY", b"SQLite format 3\0", b"RIFF"),
)
# How all begin that a log may come inside of: JSON, a pickle, a row of names, a line that ends in an object, an
# event record in base64.
_MAY_BE_WRAPPED = re.compile(
    rb"[\xef\xbb\xbf\s]*(?:\x80|\{|\[\s*\{)"
    rb"|[\xef\xbb\xbf]*(?=[^\n:{}()=/\[\]]{0,500}(?:\n|$))[^\n]*?(?:essage|ontent|[Ll]ine|_raw|[Ll]og|msg|MSG|payload)"
    rb'|[^\n]{0,300}\{"|[^\n]*\}\]?\s*\n'
    rb"|(?:[^\n]{0,300}\n){0,20}?[^\n]{0,300}?Q1BFUg"
)
MOST_HOLES = 1024  # pieces of zeros in front of a text
# At most so much garbage in front of at least so many lines of text.
GARBAGE_BYTES, LINES_AFTER = 4096, 2
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\r\x1b\x08\x0b\x0c\x07\x00") + b"\x7f"


def file_source(path: str) -> Source:
    """Return the source for a regular file. Raise InputError if it can't be read or is not a log."""
    source = stream_source(path)
    reader = File(path)
    try:
        head = head_of(reader)
        text = _after_hole(reader, head)
        size = os.fstat(reader.fileno()).st_size
    finally:
        reader.close()
    if packing(head) or wide_encoding(head):
        source.open().close()  # raises if it can't be decoded
        source.note = None
        return source
    step = unwrap_step(head)
    if step is None:
        refuse_binary(text, path)
        # Some files in /proc and /sys have content although their size is 0.
        source = Source(path, size if size or not head else None, lambda source: File(path, source))
    source.note = _misnamed(path, head, step)
    return source


def _misnamed(path: str, head: bytes, step: Step | None) -> str | None:
    if path.lower().endswith(".ipynb"):
        return None if step or not head else "not a notebook, despite its name; read as text"
    return misnamed(path, head)


def _after_hole(reader: Raw, head: bytes) -> bytes:
    """Return `head`, or the first bytes after a hole of zeros that a crashed node left."""
    text = head
    for _ in range(MOST_HOLES):
        if not text or text.strip(b"\0"):
            break
        text = head_of(reader)
    return text or head


def stream_source(path: str) -> Source:
    """Return the source for what can be read only once, such as a named pipe; nothing is read before it is opened."""
    return Source(path, None, lambda source: opened(File(path, source), source))


def opened(reader: Raw, source: Source) -> Raw:
    """Return `reader` with the decompression, transcoding and unwrapping that its first bytes require.

    Raise InputError, and close `reader`, if it is not text or nothing of it can be unpacked.
    """
    try:
        return _opened(reader, source)
    except BaseException:
        reader.close()
        raise


def _opened(reader: Raw, source: Source) -> Raw:
    head, found = decompressed(reader, source)
    if not head and source.note:
        raise InputError(f"can't read {source.name}: {source.note.partition(';')[0]}")
    encoding = wide_encoding(head)
    if encoding:
        found = StepReader(found, ToUtf8(encoding))
        head = head_of(found)
        found = Replayed(head, found)
    step = unwrap_step(head)
    if step:
        return StepReader(found, step, source)
    refuse_binary(head, source.name)
    return found


def decompressed(reader: Raw, source: Source) -> tuple[bytes, Raw]:
    """Return the first bytes of a file, decompressed if need be, and a reader of all of it.

    Raise InputError if this Python can't decompress it.
    """
    head = head_of(reader)
    found: Raw = Replayed(head, reader)
    kind = packing(head)
    if kind:
        refuse_packed(kind, source.name)
        found = Unpacked(found, kind, source)
        head = head_of(found)
        found = Replayed(head, found)
    return head, found


def unwrap_step(head: bytes) -> Step | None:
    """Return what unwraps a log that begins with `head`; None if it is plain text already."""
    if not _MAY_BE_WRAPPED.match(head) and b'\n{"' not in head:
        return None
    from logsense.unwrap.streamed import STREAMED

    return next((shape.step(head) for shape in STREAMED if shape.begins(head)), None)


def refuse_packed(kind: str, name: str) -> None:
    """Raise InputError if this Python can't decompress `kind`."""
    why = cannot_unpack(kind)
    if why:
        raise InputError(f"can't read {name}: {why}")


def is_plain(head: bytes) -> bool:
    """Return whether a log that begins with `head` is read unchanged."""
    return not (packing(head) or wide_encoding(head) or unwrap_step(head))


def refuse_binary(head: bytes, name: str) -> None:
    """Raise NoLogError if `head` is not the start of a text in any encoding of logs."""
    if is_binary(head):
        raise NoLogError(f"can't read {name}: looks like a binary file")


def is_binary(head: bytes) -> bool:
    """Return whether these are not the first bytes of a text. Holes of zeros, as rotated logs have, don't count."""
    if not head:
        return False
    nuls = head.count(0)
    if nuls and head.startswith(_MAGIC):
        return True
    rest = len(head) - nuls
    if not rest:
        return True
    controls, strange = _count_garbage(head)
    if nuls:
        found = controls > 0.01 * rest or strange > 0.1 * rest
    else:
        found = controls > 0.05 * rest or (head.startswith(_MAGIC) and strange > 0.1 * rest)
    return found and not _turns_to_text(head)


def _count_garbage(text: bytes) -> tuple[int, int]:
    """Return the numbers of control characters and of bytes that are not text."""
    controls = len(text) - len(text.translate(None, _CONTROLS))
    return controls, 0 if text.isascii() else text.decode("utf-8", "replace").count("\ufffd")


def _turns_to_text(head: bytes) -> bool:
    """Return whether a little garbage precedes lines of text, as after a crash."""
    lines = head.split(b"\n")
    odd = [at for at, line in enumerate(lines) if any(_count_garbage(line))]
    text = lines[odd[-1] + 1 :] if odd else []
    garbage = sum(len(line.strip(b"\0")) + 1 for line in lines[: len(lines) - len(text)])
    texts = sum(1 for line in text if b" " in line.strip())
    return not head.startswith(_MAGIC) and garbage <= GARBAGE_BYTES and texts >= LINES_AFTER
