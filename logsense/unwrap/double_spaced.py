"""Double-spaced text: a blank line below every line, as copies from some consoles and mail programs have it."""

from __future__ import annotations

from logsense.unwrap.paste import Paste, PasteShape

_FEW = 5  # lines; fewer are paragraphs
_MOST_SINGLE = 0.05  # of the lines, such as those that wrapped


def _close_up(paste: Paste) -> Paste:
    """Return the text without the blank line below each line."""
    lines = paste.text.split("\n")
    filled = [at for at, line in enumerate(lines[:-1]) if line.strip()]
    single = sum(1 for at in filled if lines[at + 1].strip())
    if len(filled) < _FEW or single > _MOST_SINGLE * len(filled):
        return paste
    return paste.with_lines(
        None if at and not line.strip() and lines[at - 1].strip() else line for at, line in enumerate(lines)
    )


SHAPES = (PasteShape("double-spaced text", ("\n\n", "\n \n"), _close_up),)
