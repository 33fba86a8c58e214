"""Opens a file as a log: looks at its first bytes and unpacks, transcodes and unwraps what has to be."""

from __future__ import annotations

import os
from collections.abc import Callable

from logsense.model.source import File, Raw, Replayed, Source, Step, head_of
from logsense.sources.unpack import Narrowed, Unpacked, cannot_unpack, misnamed, packing, wide_encoding
from logsense.util.errors import InputError, NoLogError

_MAGIC = (
    *(b"\x7fELF", b"PK\x03\x04", b"\x89PNG", b"\x89HDF", b"\xff\xd8\xff", b"\x80\x02", b"\x80\x04", b"\x80\x05"),
    *(b"%PDF", b"GIF8", b"MZ\x90", b"\xca\xfe\xba\xbe", b"\x93NUMPY", b"SQLite format 3\0", b"RIFF"),
)
_OBJECT_ENDS = (b"}", b"}]")
_COLUMNS = (b"essage", b"ontent", b"ine", b"_raw", b"log", b"Log")  # names of those of a table that hold messages
_BLANKS = b"\xef\xbb\xbf \t\r\n"  # and a byte order mark
MOST_HOLES = 1024  # pieces full of zeros in front of a text
# So much that is no text may stand in front of so many lines of text and more.
GARBAGE_BYTES, LINES_BEHIND = 4096, 2
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\r\x1b\x08\x0b\x0c\x07\x00") + b"\x7f"


def file_source(path: str) -> Source:
    """The source for a regular file. Raises InputError where it can't be read or is no log."""
    source = stream_source(path)
    reader = File(path)
    try:
        head = head_of(reader)
        behind = _behind_hole(reader, head)
        size = os.fstat(reader.fileno()).st_size
    finally:
        reader.close()
    if packing(head) or wide_encoding(head):
        source.open().close()  # to see that it can be
        source.note = None
        return source
    if _is_dump(head):
        return source
    refuse_binary(behind, path)
    if not is_wrapped(head):
        # Some files of the kernel have a size of 0 and content all the same.
        source = Source(path, size if size or not head else None, lambda source: File(path, source))
    source.note = _misnamed(path, head)
    return source


def _misnamed(path: str, head: bytes) -> str | None:
    if path.lower().endswith(".ipynb"):
        return None if _is_notebook(head) or not head else "is not a notebook, despite its name; it was read as text"
    return misnamed(path, head)


def _behind_hole(reader: Raw, head: bytes) -> bytes:
    """`head`, or where a node that went down left nothing but zeros there, the first bytes with more than these."""
    behind = head
    for _ in range(MOST_HOLES):
        if not behind or behind.strip(b"\0"):
            break
        behind = head_of(reader)
    return behind or head


def stream_source(path: str) -> Source:
    """The source for something that can be read only once, such as a named pipe; it is looked at when opened."""
    return Source(path, None, lambda source: opened(File(path, source), source))


def opened(reader: Raw, source: Source) -> Raw:
    """`reader` with what has to be unpacked, transcoded and unwrapped, as its first bytes show.

    Raises InputError where it is no text, or nothing of it can be unpacked; `reader` is closed then.
    """
    try:
        return _opened(reader, source)
    except BaseException:
        reader.close()
        raise


def _opened(reader: Raw, source: Source) -> Raw:
    head = head_of(reader)
    found: Raw = Replayed(head, reader)
    kind = packing(head)
    if kind:
        refuse_packed(kind, source.name)
        found = Unpacked(found, kind, source)
        head = head_of(found)
        if not head and source.note:
            raise InputError(f"can't read {source.name}: {source.note.partition(';')[0]}")
        found = Replayed(head, found)
    encoding = wide_encoding(head)
    if encoding:
        found = Narrowed(found, encoding)
        head = head_of(found)
        found = Replayed(head, found)
    if _is_dump(head):
        from logsense.unwrap.flight_recorder import DumpText

        return DumpText(found, source.name)
    refuse_binary(head, source.name)
    if _is_notebook(head):
        from logsense.unwrap.notebook import NotebookText

        return NotebookText(found, source)
    lines = unwrapper(head)
    if lines:
        from logsense.unwrap.json_lines import Unwrapped

        return Unwrapped(found, lines)
    return found


def _is_dump(head: bytes) -> bool:
    if not head.lstrip().startswith((b"\x80", b"{")):
        return False
    from logsense.unwrap.flight_recorder import is_dump

    return is_dump(head)


def _is_notebook(head: bytes) -> bool:
    if not head.lstrip(_BLANKS).startswith(b"{"):
        return False
    from logsense.unwrap.notebook import is_notebook

    return is_notebook(head)


def unwrapping(head: bytes) -> Step | None:
    """What turns the bytes of a notebook, a JSON log or a table into plain text; None where they are that already."""
    if _is_notebook(head):
        from logsense.unwrap.notebook import Notebook

        return Notebook()
    lines = unwrapper(head)
    if lines is None:
        return None
    from logsense.unwrap.json_lines import Unwrapping

    return Unwrapping(lines)


def is_wrapped(head: bytes) -> bool:
    """Whether a log that begins with `head` is a text in a shape around the text."""
    return _is_notebook(head) or unwrapper(head) is not None


def unwrapper(head: bytes) -> Callable[[bytes], bytes] | None:
    """What turns each line of a JSON log or of a table into plain text; None where the text is plain already."""
    first = head.lstrip(_BLANKS)[:1]
    if first in (b"{", b"["):
        from logsense.unwrap import cast, json_lines

        lines = cast.decoder(head) or json_lines.decoder(head)
        if lines or first == b"{":
            return lines
    begin = head[:300].partition(b"\n")[0]
    if b"," in begin and any(sign in begin for sign in _COLUMNS):
        from logsense.unwrap import table

        rows = table.decoder(head)
        if rows:
            return rows
    if begin.rstrip().endswith(_OBJECT_ENDS) or (len(begin) == 300 and b'{"' in begin):
        from logsense.unwrap import tagged

        return tagged.decoder(head) if tagged.may_be(head) else None
    return None


def refuse_packed(kind: str, name: str) -> None:
    """Raise InputError where this Python can't unpack `kind`."""
    why = cannot_unpack(kind)
    if why:
        raise InputError(f"can't read {name}: {why}")


def is_plain(head: bytes) -> bool:
    """Whether a log that begins with `head` is read as it stands."""
    return not (packing(head) or wide_encoding(head) or is_wrapped(head))


def refuse_binary(head: bytes, name: str) -> None:
    """Raise InputError where `head` is not the start of a text in any encoding that logs are written in."""
    if is_binary(head):
        raise NoLogError(f"can't read {name}: looks like a binary file")


def is_binary(head: bytes) -> bool:
    """Whether these are not the first bytes of a text. Holes full of zeros, as rotated logs have, are no sign."""
    if not head:
        return False
    nuls = head.count(0)
    if nuls and head.startswith(_MAGIC):
        return True
    rest = len(head) - nuls
    if not rest:
        return True
    controls, strange = _odd(head)
    if nuls:
        found = controls > 0.01 * rest or strange > 0.1 * rest
    else:
        found = controls > 0.05 * rest or (head.startswith(_MAGIC) and strange > 0.1 * rest)
    return found and not _turns_to_text(head)


def _odd(text: bytes) -> tuple[int, int]:
    """How many control characters there are, and how many others that are no text."""
    controls = len(text) - len(text.translate(None, _CONTROLS))
    return controls, 0 if text.isascii() else text.decode("utf-8", "replace").count("\ufffd")


def _turns_to_text(head: bytes) -> bool:
    """Whether a little that is no text stands in front of lines of text, as a crash leaves it in a log."""
    lines = head.split(b"\n")
    odd = [at for at, line in enumerate(lines) if any(_odd(line))]
    behind = lines[odd[-1] + 1 :] if odd else []
    garbage = sum(len(line.strip(b"\0")) + 1 for line in lines[: len(lines) - len(behind)])
    said = sum(1 for line in behind if b" " in line.strip())
    return not head.startswith(_MAGIC) and garbage <= GARBAGE_BYTES and said >= LINES_BEHIND
