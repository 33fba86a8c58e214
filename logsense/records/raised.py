"""Parse the exceptions and frames of a traceback."""

from __future__ import annotations

from logsense.model.record import Frame, Raised
from logsense.unwrap import traceback
from logsense.util.regexes import Lazy

_GROUP_EDGE = Lazy(r"\s*[|+](?:-[-+]*(?: \d+ -+|-)?|) ?")


def read(traceback_text: str) -> Raised | None:
    """Return the exception that a traceback ends with, including its chain; None without an exception.

    The type is empty if the text names none. Of several threads, the one that failed counts.
    """
    lines = traceback_text.split("\n")
    if "Exception Group" in traceback_text:
        lines = [text[edge.end() :] if (edge := _GROUP_EDGE.match(text)) else text for text in lines]
    is_indented = lines[0][:1].isspace()
    indent = min((len(text) - len(text.lstrip()) for text in lines if text), default=0) if is_indented else 0
    reader = _Reader()
    for text in lines:
        reader.consume(text[indent:])
    return reader.close()


class _Reader:
    """Parse the lines of a traceback, dedented."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, list[str], list[Frame]]] = []
        self._frames: list[Frame] = []
        self._open = False  # after a header or frame, before the exception
        self._untyped: list[str] = []  # possibly an exception's message after frames
        self._notebook: str | None = None
        self._direct = False
        self._linked = False  # after a link between two exceptions
        self._headed = False
        self._fatal = ""
        self._thread = ""  # the header of a stack with the innermost frame first

    def consume(self, text: str) -> None:
        """Parse the next line."""
        if not self._consume_stack_line(text):
            if self._is_exception(text):
                kind, message = traceback.exception(text, strict=False) or ("", text)
                self._parts.append((kind, [message], self._frames))
                self._begin(False)
            elif self._open:
                if self._frames and (self._untyped or (text and text[0] not in " \t-+|~^❱" and self._notebook is None)):
                    self._untyped.append(text)
            elif self._parts and text not in ('"""', "```"):
                self._parts[-1][1].append(text)
            elif text.startswith(traceback.FATAL):
                self._fatal = text.partition(":")[2].strip()

    def _consume_stack_line(self, text: str) -> bool:
        """Parse a header, link, frame or arrow; return whether the line was one."""
        if self._notebook is None and traceback.is_plain(text):
            return False
        frame = traceback.frame(text)
        if frame is None and self._consume_header(text):
            return True
        if frame is None and self._open:
            frame = traceback.boxed_frame(text)
        if frame is None and (self._notebook is not None or not (self._parts or self._open)):
            frame = traceback.notebook_frame(text)
            self._notebook = "" if frame and self._notebook is None else self._notebook
        if frame is not None:
            self._frames.append(frame)
            self._untyped = []
            self._open = self._open or not self._parts
            return True
        last = self._frames[-1] if self._frames and self._notebook is not None else None
        if last and last.line is None and (line := traceback.arrow(text)):
            self._frames[-1] = Frame(last.file, line, last.function)
            return True
        return False

    def _consume_header(self, text: str) -> bool:
        """Parse a header or link; return whether the line was one."""
        name = traceback.notebook_header(text)
        if name or traceback.is_header(text):
            self._flush()
            self._begin(True, name)
            self._thread = text if "call first" in text else ""
            self._headed = True
            return True
        if traceback.is_chain(text):
            self._flush()
            self._direct = "direct cause" in text
            self._linked = True
            return True
        return False

    def _is_exception(self, text: str) -> bool:
        if not text or text[0] in " \t":
            return False
        if traceback.exception(text):
            return self._open or not self._parts or bool(self._frames) or self._linked
        return self._open and not self._untyped and traceback.exception(text, strict=False) is not None

    def _begin(self, open_: bool, notebook: str | None = None) -> None:
        self._linked = False
        self._frames, self._untyped, self._open, self._notebook = [], [], open_, notebook

    def _flush(self) -> None:
        """Keep frames whose exception was not printed, or not with its type."""
        if self._thread:
            self._keep_thread()
        elif self._open and (self._frames or self._notebook):
            self._parts.append((self._notebook or "", self._untyped, self._frames))
        self._begin(False)

    def _keep_thread(self) -> None:
        part = (traceback.FATAL if self._fatal else "", [self._fatal], self._frames[::-1])
        # Other threads count as earlier in the chain.
        at = len(self._parts) if self._thread.startswith("Current") or not self._parts else 0
        self._parts.insert(at, part)
        self._thread = ""

    def close(self) -> Raised | None:
        """Return the result."""
        if not self._parts and not self._headed and not self._untyped:
            return None
        self._flush()
        done = [Raised(kind, "\n".join(text).strip(), tuple(frames)) for kind, text, frames in self._parts]
        if not done:
            return None
        last = done[-1]
        frames = _frames_of_origin(done) if self._direct and len(done) > 1 else last.frames
        return Raised(last.type, last.message, frames, tuple(done[:-1]))


def _frames_of_origin(done: list[Raised]) -> tuple[Frame, ...]:
    """Return the frames of the last exception; if a worker process raised it, those of the worker."""
    last = done[-1]
    message = last.message.split("\n")[0]
    for one in reversed(done[:-1]):
        if one.frames and (one.type, one.message.split("\n")[0]) == (last.type, message):
            return one.frames
    return last.frames
