"""Sources that can be read more than once: what comes from a pipe is kept in a temporary file while it is read."""

from __future__ import annotations

import os
import stat
import tempfile

from logsense.sources.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from logsense.sources.source import Raw


def readable_again(sources: Iterable[Source]) -> list[Source]:
    """`sources`, of which those that are read from pipes can be opened a second time, too."""
    return [_kept(source) if _is_pipe(source) else source for source in sources]


def _is_pipe(source: Source) -> bool:
    if source.size is not None:
        return False
    try:
        return not stat.S_ISREG(os.stat(source.name).st_mode)
    except (OSError, ValueError):
        return source.name == "standard input"


def _kept(source: Source) -> Source:
    return Source(source.name, None, _Kept(source))


class _Kept:
    """Opens a source the first time, and what was kept of it from then on."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._copy: IO[bytes] | None = None

    def __call__(self, kept: Source) -> Raw:
        if self._copy:
            self._copy.seek(0)
            return _Copy(self._copy)
        self._copy = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - it goes with the source
        return _Copying(self._source, kept, self._copy)

    def __del__(self) -> None:
        if self._copy:
            self._copy.close()


class _Copying:
    """Reads `source`, writes what it read into `copy`, and tells `kept` what became known of it."""

    def __init__(self, source: Source, kept: Source, copy: IO[bytes]) -> None:
        self._source, self._kept, self._copy = source, kept, copy
        self._below = source.open()

    def readinto(self, buffer: bytearray | memoryview, /) -> int:
        count = self._below.readinto(buffer) or 0
        self._copy.write(memoryview(buffer)[:count])
        return count

    def close(self) -> None:
        self._below.close()
        self._kept.parts, self._kept.note = self._source.parts, self._source.note


class _Copy:
    """Reads what was kept; it stays open for a third time."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readinto(self, buffer: bytearray | memoryview, /) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        pass
