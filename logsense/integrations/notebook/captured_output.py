"""Capture what cells print: the end of it in memory, and all of it for a recorder."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from logsense.util.errors import IgnoredErrors

KEPT_CHARACTERS = 256 << 10


class CapturedOutput:
    """Capture the streams of this process. Only their `write` is wrapped, as IPython does; kernels use it also for
    output below Python.
    """

    def __init__(self, record: Callable[[bytes], object] | None = None) -> None:
        self._record = record
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._kept: list[str] = []
        self._size = 0
        self._streams: list[tuple[Any, Callable[[str], Any] | None]] = []

    def begin(self) -> None:
        """Start capturing, at the beginning of a cell."""
        self.end()
        with self._lock:
            self._kept, self._size = [], 0
        for stream in (sys.stdout, sys.stderr):
            own, set_there = stream.write, "write" in getattr(stream, "__dict__", ())
            try:
                stream.write = self._wrapped(own)  # type: ignore[method-assign]
            except (AttributeError, TypeError):  # a stream that is written in C
                continue
            self._streams.append((stream, own if set_there else None))

    def end(self) -> None:
        """Stop capturing, and restore the streams, unless other code has wrapped them meanwhile."""
        for stream, own in self._streams:
            if getattr(stream.write, "logsense", None) is self:
                del stream.write
                if own:
                    stream.write = own
        self._streams.clear()

    def text(self) -> str:
        """Return the end of the output since the cell began."""
        with self._lock:
            return "".join(self._kept)[-KEPT_CHARACTERS:]

    def _wrapped(self, own: Callable[[str], Any]) -> Callable[[str], Any]:
        def write(text: str) -> Any:
            done = own(text)
            if os.getpid() == self._pid:  # forked processes have a copy of this object
                self._keep(text)
            return done

        write.logsense = self  # type: ignore[attr-defined]
        return write

    def _keep(self, text: str) -> None:
        with IgnoredErrors(), self._lock:
            self._kept.append(text)
            self._size += len(text)
            if self._size > 2 * KEPT_CHARACTERS:
                self._kept = ["".join(self._kept)[-KEPT_CHARACTERS:]]
                self._size = KEPT_CHARACTERS
            if self._record:
                self._record(text.encode("utf-8", "replace"))
