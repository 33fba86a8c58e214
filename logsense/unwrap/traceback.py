"""Classify the lines of a traceback, and parse frames and exceptions."""

from __future__ import annotations

from functools import lru_cache

from logsense.model.record import Frame
from logsense.util.regexes import Lazy

_NAMES = r"Error|Exception|Interrupt|Exit|Iteration|Failure|Timeout|BadZipFile|OutOfResources|Quit|Group|Traceback"
FATAL = "Fatal Python error"
_DOTTED = r"(?:[A-Za-z_]\w*\.)"
_STRICT = Lazy(
    rf"({_DOTTED}*(?:[A-Z_]\w*(?:{_NAMES})|(?:Base)?Exception(?:Group)?)|{_DOTTED}+(?:error|timeout|gaierror|herror|Error|Empty|Full)"
    rf"|{_DOTTED}*(?:errors|exceptions)\.[A-Z]\w*"
    rf"|{_DOTTED}+(?:(?:Bad|Broken|NoSuch)[A-Z]\w*|(?=[A-Z])\w*(?:Invalid|NotFound|Denied|Expired|Conflict)\w*)(?=:)"
    r")(\([\w.]+\))?(?::(?: |$)|$)"
)
_LOOSE = Lazy(rf"({_DOTTED}+[A-Za-z_]\w*|[A-Z_]\w*)(\([\w.]+\))?:(?: |$)|({_DOTTED}+[A-Z]\w*)$")
_HEADER = Lazy(
    r"[\s|+╭─-]*(?:(?:Original |Exception Group )?Traceback\s+\((?:most recent call last|most recent last call"
    r"|most recent call first|innermost last|last most recent call|most recent last)\)"
    r"|(?:Current )?[Tt]hread 0x[0-9a-f]+ .{0,80}\(most recent call first\))"
)
_NOTEBOOK_HEADER = Lazy(r"\s*([A-Za-z_][\w.]*)\s+Traceback \(most recent call last\)\s*$")
_FRAME = Lazy(r"[\s|+]*File ([\"'])(.+?)\1, line (\d{1,18})(?:,? in (.*))?$")
_SPYDER_FRAME = Lazy(r"\s*File ((?:[A-Za-z]:)?[\\/~][^:\"\n]{1,400}):(\d{1,18}) in (\S.*)$")
_NOTEBOOK_FRAME = Lazy(
    r"\s*(?:File (?P<file>[A-Za-z]:[\\/][^:\n]{1,400}|[~/.<\w][^\s:]*):(?P<line>\d{1,18})"
    r"(?:, in (?P<function>[^\s(]+).*)?"
    r"|(?:Cell|Input) (?P<cell>In ?\[\d+\])(?:, line (?P<cell_line>\d{1,18}))?"
    r"(?:, in (?P<cell_function><cell line: \d+>|[^\s(]+).*)?"
    r"|(?P<old><(?:ipython-input|command-|timed|decorator-gen|__array)[^>]*>|[~/]\S*\.(?:py|pyx)|[A-Z]:\\\S+\.py|\w+\.pyx)"
    r" in (?P<old_function><[^>]+>|[^\s(]+).*"
    r"|(?P<page>\S[^\n]{0,400}\.ipynb) (?P<page_cell>Cell \d{1,6})'?(?: line (?P<page_line>\d{1,18})| in .*)?)$"
)
_BOXED_FRAME = Lazy(r"\s*(?P<file>\S+\.pyx?|<\S+>):(?P<line>\d{1,18})(?: in (?P<function>\S+)?)?\s*$")
_ARROW = Lazy(r"\s*-+> ?(\d{1,18})\b")
_CHAIN = ("During handling of the above exception", "The above exception was the direct cause")
_NATIVE = Lazy(r"frame #\d+: |\s*@\s+0x|PC: @|\s*#\d+ +0x[0-9a-f]+ |.{0,400}\(most recent call first\):\s*$")

_NAME = Lazy(r"[ |]*([A-Za-z_][\w.]{0,200}(?:\([\w.]{1,200}\))?(?::(?= |$)|$))")
_UNINDENTED = ("File ", "Fatal Python", "Cell In", "C:\\", "~", "/", "<")
CACHE_SIZE = 512  # lines: each is parsed several times in a row, and again by other ranks


def is_plain(text: str) -> bool:
    """Return whether a line is certainly neither a header, nor a link, nor a frame of any kind."""
    return not (
        "File " in text
        or "ecent" in text
        or " in " in text
        or ".py" in text
        or "above exception" in text
        or "<" in text
        or "In[" in text
        or "In [" in text
        or "innermost last" in text
    )


def is_header(text: str) -> bool:
    """Return whether a traceback begins with this line."""
    return ("ecent" in text or "innermost last" in text) and bool(_HEADER.match(text))


def may_begin(text: str) -> bool:
    """Return whether `text` may be the first or last line of a traceback, or a frame that is not indented."""
    if name := _NAME.match(text):
        return _is_error(name[1])
    return "ecent" in text or "innermost last" in text or ".ipynb Cell " in text or text.startswith(_UNINDENTED)


@lru_cache(512)
def _is_error(name: str) -> bool:
    return bool(_STRICT.match(name))


def notebook_header(text: str) -> str | None:
    """Return the type of the exception if `text` begins a notebook's traceback."""
    found = _NOTEBOOK_HEADER.match(text) if "Traceback (m" in text else None
    return found[1] if found else None


def frame(text: str) -> Frame | None:
    """Return the frame that a line of a plain traceback names; None if it names none."""
    return _frame(text) if "File " in text else None


@lru_cache(CACHE_SIZE)
def _frame(text: str) -> Frame | None:
    if found := _FRAME.match(text):
        return Frame(found[2], int(found[3]), (found[4] or "").strip())
    found = _SPYDER_FRAME.match(text)
    return Frame(found[1], int(found[2]), found[3].strip()) if found else None


def notebook_frame(text: str) -> Frame | None:
    """Return the frame that a line of a notebook's traceback names; its line number may follow at an arrow."""
    if not (" in " in text or "In[" in text or "In [" in text or "File " in text or ".ipynb Cell " in text):
        return None
    found = _NOTEBOOK_FRAME.match(text)
    if not found:
        return None
    line = found["line"] or found["cell_line"] or found["page_line"]
    name = found["function"] or found["cell_function"] or found["old_function"] or found["page_cell"] or ""
    file = found["file"] or found["cell"] or found["old"] or found["page"]
    return Frame(file, int(line) if line else None, name)


def boxed_frame(text: str) -> Frame | None:
    """Return the frame that a line of a traceback in a drawn box names."""
    found = _BOXED_FRAME.match(text) if ".py" in text or "<" in text else None
    return Frame(found["file"], int(found["line"]), found["function"] or "") if found else None


def arrow(text: str) -> int | None:
    """Return the line number at a notebook's arrow ("----> 9 code")."""
    found = _ARROW.match(text) if "->" in text else None
    return int(found[1]) if found else None


def is_chain(text: str) -> bool:
    """Return whether the line links two tracebacks."""
    return "above exception" in text and text.lstrip(" |").startswith(_CHAIN)


def is_native_frame(text: str) -> bool:
    """Return whether the line belongs to a stack of native code."""
    return ("@" in text or "#" in text or "call first" in text) and bool(_NATIVE.match(text))


@lru_cache(CACHE_SIZE)
def exception(text: str, strict: bool = True) -> tuple[str, str] | None:
    """Return type and message if the line is the last of a traceback; None otherwise.

    Strict accepts only names that look like errors; otherwise any `name: text` counts, as after frames.
    """
    body = text.lstrip(" |")
    if ":" not in body and " " in body:
        return None
    found = _STRICT.match(body)
    if not found and not strict:
        found = _LOOSE.match(body)
    if not found:
        return None
    name = body[: found.end()].rstrip(": ")
    half = len(name) // 2
    # Two ranks that print simultaneously print the name twice, then both messages.
    return name[half:] if name[:half] == name[half:] else name, body[found.end() :].strip()
