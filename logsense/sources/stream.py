"""Decode a log that arrives in pieces to plain UTF-8, as `opened` does for one that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.model.line import Places
from logsense.model.source import HEAD, Step
from logsense.sources.file import unwrap_step
from logsense.sources.unpack import ToUtf8, Unpacking, packing, wide_encoding

MAGIC_BYTES = 8  # decide the compression


class StreamedText:
    """Decode a log as it arrives: decompress it, transcode UTF-16, unwrap JSON lines and tables.

    It holds back the first 64 KiB, which decide the format.
    """

    def __init__(self) -> None:
        self._narrow, self._unwrap = _Buffered(_narrowing), _Buffered(unwrap_step)
        self._first = b""
        self._packed: Unpacking | None = None
        self._decided = False

    def feed(self, data: bytes) -> bytes:
        """Return the text that `data` completes."""
        return b"".join(self.pieces(data))

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the text that `data` completes, in pieces that take little memory."""
        if not self._decided:
            self._first += data
            if len(self._first) < MAGIC_BYTES:
                return
            data, self._first, self._decided = self._first, b"", True
            self._packed = _unpacking(data)
        for piece in self._packed.feed(data) if self._packed else (data,):
            yield self._unwrap.feed(self._narrow.feed(piece))

    def finish(self) -> bytes:
        """Return the rest of the text."""
        rest = self._narrow.feed(self._first)
        return self._unwrap.feed(rest + self._narrow.finish()) + self._unwrap.finish()

    @property
    def places(self) -> Places | None:
        """Where people find the lines of the text returned so far; None if it is not unwrapped."""
        return getattr(self._unwrap.step, "places", None)


def plain_text(text: bytes) -> tuple[bytes, Places | None]:
    """Return the plain text of a whole log, and where people find its lines if it is unwrapped."""
    head = text[:HEAD]
    if not wide_encoding(head) and not unwrap_step(head):
        return text, None
    streamed = StreamedText()
    return streamed.feed(text) + streamed.finish(), streamed.places


class _Buffered:
    """Hold back the first bytes until they suffice to choose a step, then pass everything through it."""

    def __init__(self, choose) -> None:  # type: ignore[no-untyped-def]
        self._choose = choose
        self._head: bytearray | None = bytearray()
        self.step: Step | None = None

    def feed(self, data: bytes) -> bytes:
        if self._head is not None:
            self._head += data
            return self._begin() if len(self._head) >= HEAD else b""
        return self.step.feed(data) if self.step and data else data

    def finish(self) -> bytes:
        begin = self._begin() if self._head is not None else b""
        return begin + (self.step.finish() if self.step else b"")

    def _begin(self) -> bytes:
        held, self._head = bytes(self._head or b""), None
        self.step = self._choose(held[:HEAD])
        return self.step.feed(held) if self.step and held else held


def _unpacking(head: bytes) -> Unpacking | None:
    name = packing(head)
    try:
        return Unpacking(name) if name else None
    except ImportError:
        return None


def _narrowing(head: bytes) -> Step | None:
    encoding = wide_encoding(head)
    return ToUtf8(encoding) if encoding else None
