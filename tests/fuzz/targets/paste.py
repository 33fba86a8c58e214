"""Pasted texts: escapes, quotes, line numbers and wraps are undone, and every line has the number of one that was pasted."""

from __future__ import annotations

from logsense.unwrap.pasted import undo_pasting
from tests.fuzz.seeds import texts


def seeds() -> list[bytes]:
    """Return texts as clipboards leave them."""
    found = []
    for text in texts()[:200]:
        lines = text.split(b"\n")
        found += [
            b"\n".join(b"> " + line for line in lines),
            b"\n".join(b"%4d " % at + line for at, line in enumerate(lines)),
        ]
        found += [b"\n".join(text[at : at + 80] for at in range(0, len(text), 80)), text.replace(b"\n", b"\\n")]
        found.append(text.replace(b"<", b"&lt;").replace(b'"', b"&quot;"))
    return found


def run(data: bytes) -> None:
    """Undo the pasting of `data`."""
    changed = undo_pasting(data)
    if changed:
        text, places = changed
        assert places.lines == text.count(b"\n") + 1, "a line has no number"
        numbers = [places.number(line) for line in range(1, places.lines + 1)]
        assert 1 <= min(numbers) <= max(numbers) <= data.count(b"\n") + 1, "a number is not one of a line"
