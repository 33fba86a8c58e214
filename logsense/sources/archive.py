"""Find and read logs in an archive, and in archives within it, without unpacking to disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count

from logsense.model.source import File, Raw, Replayed, Source, can_seek, head_of
from logsense.sources.file import decompressed, is_plain, opened
from logsense.sources.folder import is_notebook_name, is_sure_log_name, natural, without_examples
from logsense.sources.members import Limits, Member, RefusedError, kind_of, members_of
from logsense.sources.unpack import ARCHIVE_ENDINGS, most_bytes
from logsense.util.errors import InputError, NoLogError

MOST_DEPTH = 3  # nested archives, including the outermost
_archive_numbers = count(1)


def logs_in(path: str, open_file: Callable[[], Raw] | None = None, size: int | None = None) -> list[Source]:
    """Return the logs in the archive at `path`, in natural order; an empty list if it is not an archive.

    For an archive that is not a local file, `open_file` opens it and `size` is its size in bytes. Raise InputError if
    it holds no readable log.
    """
    members = _Members(path, open_file or (lambda: File(path)), size)
    kind = members.kind()
    if not kind:
        return []
    found: list[tuple[int, Member, bool]] = []  # the place in the archive, and whether it is plain text
    problem = ""
    try:
        for place, log in members.walk():
            head = _text_head(log, path)
            if head is not None:
                found.append((place, log, is_plain(head)))
    except Exception as error:  # noqa: BLE001 - each kind of damage has its own error
        problem = members.describe(error)
    names = set(without_examples([log.name for _, log, _ in found]))
    found = [one for one in found if one[1].name in names]
    if not found:
        why = problem or members.problem
        if kind == "zip" and not why:  # models and documents are zip archives too
            raise NoLogError(f"can't read {path}: looks like a binary file")
        if not why:
            raise NoLogError(f"no logs in {path}")
        raise InputError(f"can't read {path}: {why}")
    archive = _Archive(members)
    archive.last = found[-1][0]
    sources = [archive.source(*one) for one in found]
    sources[-1].note = problem or members.problem or None
    return sorted(sources, key=lambda source: natural(source.name))


def _text_head(log: Member, path: str) -> bytes | None:
    """Return the first bytes of a log as they are in the archive; None if it is not text."""
    source = Source(f"{path}/{log.name}", None, lambda _: log.open())
    reader = log.open()
    try:
        head = head_of(reader)
        opened(Replayed(head, reader), source).close()
    except InputError:
        return None
    finally:
        reader.close()
    return head


class _Members:
    """The members of an archive, which each walk unpacks from its beginning."""

    def __init__(self, path: str, open_file: Callable[[], Raw], size: int | None) -> None:
        self.path, self._open_file, self._size = path, open_file, size
        self._packed = Source(path, None, lambda _: open_file())  # gets the notes on decompression
        self.problem = ""

    def kind(self) -> str | None:
        """Return "tar" or "zip", or None if it is not an archive. Raise InputError if it can't be unpacked."""
        reader = self._open_file()
        try:
            head = decompressed(reader, self._packed)[0]
        finally:
            reader.close()
        if not kind_of(head) and b"\0" in head[:1024]:
            raise InputError(f"can't read {self.path}: not a valid archive")
        return kind_of(head)

    def walk(self) -> Iterator[tuple[int, Member]]:
        """Yield every member that is named like a log, in the order of the archive, with its place in this order."""
        reader = self._open_file()
        try:
            size = os.fstat(reader.fileno()).st_size if isinstance(reader, File) else self._size
            limits = Limits(most_bytes(size or 0))
            yield from enumerate(self._descend(reader, "", 1, limits, self._packed))
        finally:
            reader.close()

    def _descend(self, reader: Raw, folder: str, depth: int, limits: Limits, packed: Source) -> Iterator[Member]:
        head, inner = decompressed(reader, packed) if depth > 1 or not _is_zip(reader) else (b"PK\x03\x04", reader)
        kind = kind_of(head)
        if not kind:
            raise InputError("not a valid archive")
        for member in members_of(inner, kind, limits):
            name = folder + safe_name(member.name)
            if name.lower().endswith(ARCHIVE_ENDINGS):
                yield from self._nested(name, member.open, depth, limits)
            elif is_sure_log_name(os.path.basename(name)) or is_notebook_name(os.path.basename(name)):
                yield member._replace(name=name)

    def _nested(self, name: str, open_: Callable[[], Raw], depth: int, limits: Limits) -> Iterator[Member]:
        if depth == MOST_DEPTH:
            self.problem = f"{name} is nested more than {MOST_DEPTH} archives deep and was skipped"
            return
        packed = Source(name, None, lambda _: open_())
        try:
            reader = open_()
            try:
                yield from self._descend(reader, f"{name}/", depth + 1, limits, packed)
            finally:
                reader.close()
        except Exception as error:
            if isinstance(error, RefusedError):
                raise
            self.problem = f"{name}: {packed.note or self.describe(error)}"

    def describe(self, error: Exception) -> str:
        """Return what went wrong, in a few words without the archive's name."""
        if isinstance(error, (RefusedError, InputError)):
            return str(error)
        if self._packed.note:
            return self._packed.note
        return f"the archive is damaged ({error})" if str(error) else "the archive is damaged"


class _Archive:
    """The logs of an archive, read in a single walk as long as they are opened in order."""

    def __init__(self, members: _Members) -> None:
        self.members = members
        self._number = next(_archive_numbers)
        self._walk: Iterator[tuple[int, Member]] | None = None
        self._at = -1
        self._busy = False
        self.last = -1

    def source(self, place: int, log: Member, plain: bool) -> Source:
        """Return the source for a log found on a walk."""

        def open_(source: Source) -> Raw:
            try:
                reader = self._open(place, log.name)
            except Exception as error:  # noqa: BLE001
                raise InputError(f"can't read {source.name}: {self.members.describe(error)}") from None
            return opened(_UntilDamage(reader, source, self), source)

        source = Source(f"{self.members.path}/{log.name}", log.size if plain else None, open_)
        source.turn = (self._number, place)
        return source

    def _open(self, place: int, name: str) -> Raw:
        if self._walk is None or self._busy or self._at >= place:
            self._walk, self._at = self.members.walk(), -1
        for at, found in self._walk:
            self._at = at
            if (at, found.name) == (place, name):
                self._busy = True
                return found.open()
        raise InputError("the archive has changed")

    def end_of_log(self) -> None:
        """Record that the log opened last was read."""
        self._busy = False
        if self._at == self.last:
            self._walk = None


def safe_name(name: str) -> str:
    """Return the member name `name` without parts that lead out of a folder."""
    parts = name.replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".", "..")) or "log"


def _is_zip(reader: Raw) -> bool:
    """Return whether a file begins like a zip archive, and rewind it."""
    if not can_seek(reader):
        return False
    head = head_of(reader, 4)
    reader.seek(0)
    return kind_of(head) == "zip"


class _UntilDamage:
    """Read a log that ends where the archive is damaged, and set a note."""

    def __init__(self, below: Raw, source: Source, archive: _Archive) -> None:
        self._below, self._source, self._archive = below, source, archive

    def readinto(self, buffer: bytearray | memoryview) -> int:
        try:
            return self._below.readinto(buffer) or 0
        except Exception as error:  # noqa: BLE001
            self._source.note = self._archive.members.describe(error)
            return 0

    def close(self) -> None:
        self._below.close()
        self._archive.end_of_log()
