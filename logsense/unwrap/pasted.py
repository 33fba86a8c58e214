"""The shapes of pasted text, and whether a text is one."""

from __future__ import annotations

from logsense.model.line import Places
from logsense.unwrap import cut_off, double_spaced, embedded, markup, pages, quoted, wrapped
from logsense.unwrap.paste import Paste, PasteShape
from logsense.util.regexes import LazyBytes

MOST_BYTES = 64 << 10  # forums and issue trackers cut a post there
_REDRAWN = LazyBytes(rb"\r[^\r\n]")  # a progress bar, which a clipboard does not keep

# The outermost first: a mail may hold a page, whose text has been escaped, quoted, numbered and wrapped. A diff must go
# before the marks of quotes, and lines are joined after all that stands in front of them is gone.
PASTED: tuple[PasteShape, ...] = (
    *embedded.MAIL,
    *pages.SHAPES,
    *embedded.PROGRAMS,
    *markup.MARKUP,
    *quoted.SHAPES,
    *markup.LETTERS,
    *markup.MARGINS,
    *double_spaced.SHAPES,
    *cut_off.SHAPES,
    *wrapped.SHAPES,
)


def is_paste(data: bytes) -> bool:
    """Return whether a text may have been pasted, rather than written by a program to a file."""
    return len(data) <= MOST_BYTES and not _REDRAWN.search(data)


def undo_pasting(data: bytes) -> tuple[bytes, Places] | None:
    """Return a pasted text as it was before, and where people find its lines; None if nothing changes."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    paste = Paste(text, range(1, text.count("\n") + 2))
    for shape in PASTED:
        if shape.begins(paste.text):
            paste = shape.lines(paste)
    if paste.text == text:
        return None
    places = Places()
    for number in paste.numbers:
        places.add(number)
    return paste.text.encode("utf-8", "replace"), places
