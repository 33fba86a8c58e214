"""Reads the exceptions and frames of a traceback's lines."""

from __future__ import annotations

from logsense.model.record import Frame, Raised
from logsense.parse import traceback


def read(lines: list[str]) -> Raised | None:
    """The exception that the traceback in `lines` ends with, those printed before it chained; None without any."""
    reader = _Reader()
    for text in lines:
        reader.take(text)
    return reader.close()


class _Reader:
    def __init__(self) -> None:
        self.parts: list[tuple[str, list[str], list[Frame]]] = []
        self.frames: list[Frame] = []
        self.open = False  # behind a header or frame, before the exception
        self.notebook: str | None = None
        self.direct = False
        self.reverse = False
        self.named = False  # a header was seen, so that frames alone are worth telling

    def take(self, text: str) -> None:
        """Goes on with the next line."""
        name = traceback.notebook_header(text)
        if name or traceback.header(text):
            self._flush()
            self.open, self.notebook, self.frames = True, name, []
            self.reverse = "call first" in text
            self.named = True
            return
        if traceback.chain(text):
            self.direct = "direct cause" in text
            self._flush()
            return
        frame = traceback.frame(text) or (traceback.boxed_frame(text) if self.open else None)
        if frame is None and self.notebook:
            frame = traceback.notebook_frame(text)
        if frame is not None:
            self.frames.append(frame)
            self.open = self.open or not self.parts
            return
        if self.notebook and self.frames and (line := traceback.arrow(text)) and self.frames[-1].line is None:
            self.frames[-1] = Frame(self.frames[-1].file, line, self.frames[-1].function)
            return
        if self._is_exception(text):
            kind, message = traceback.exception(text, strict=False) or ("", text.strip())
            self.parts.append((kind, [message], self.frames))
            self.frames, self.open, self.notebook = [], False, None
        elif self.parts and not self.open:
            self.parts[-1][1].append(text)

    def _is_exception(self, text: str) -> bool:
        if text[:1] in (" ", "\t", "") and not text.lstrip().startswith("|"):
            return bool(not self.parts and not self.frames and traceback.exception(text.strip()))
        if traceback.exception(text):
            return self.open or not self.parts or bool(self.frames)
        if self.open and self.notebook:
            return traceback.exception(text, strict=False) is not None
        return self.open and bool(self.frames) and text[:1] not in "-+|^"

    def _flush(self) -> None:
        """Keeps frames whose exception was not printed."""
        if self.open and (self.frames or self.notebook):
            self.parts.append((self.notebook or "", [], self.frames))
        self.frames, self.open, self.notebook = [], False, None

    def close(self) -> Raised | None:
        """The result."""
        if not self.parts and not self.named:
            return None
        self._flush()
        done: list[Raised] = []
        for kind, message, frames in self.parts:
            ordered = tuple(reversed(frames)) if self.reverse else tuple(frames)
            done.append(Raised(kind, "\n".join(message).strip(), ordered))
        if not done:
            return None
        last = done[-1]
        return Raised(last.type, last.message, last.frames, tuple(done[:-1]), self.direct)
