"""Unwraps a saved notebook: what its cells printed, line for line."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PRINTED = (b'"text":', b'"traceback":', b'"text/plain":')


def decoder(head: bytes) -> Callable[[bytes], bytes] | None:
    """What turns the lines of a notebook, in order, into plain text; None where `head` begins no notebook."""
    if head.lstrip()[:1] != b"{" or b'"cell' not in head or not (b'"cell_type"' in head or b'"nbformat"' in head):
        return None
    return _Lines().line


class _Lines:
    """Reads a notebook line by line, or whole where it was saved without line breaks."""

    def __init__(self) -> None:
        self._printed = False

    def line(self, line: bytes) -> bytes:
        """The text in the next line, several lines of text parted by carriage returns."""
        body = line.strip()
        end = b"\n" if line.endswith(b"\n") else b""
        if len(body) > 200 and body[:1] == b"{" and b'"outputs"' in body:
            return _whole(body) + end
        if self._printed:
            if body[:1] == b"]":
                self._printed = False
                return end
            return _text(body) + end
        key = next((key for key in _PRINTED if body.startswith(key)), None)
        if key:
            value = body[len(key) :].strip()
            self._printed = value == b"["
            return end if self._printed else _text(value) + end
        return end


def _text(body: bytes) -> bytes:
    try:
        value = json.loads(body.rstrip(b","))
    except (ValueError, RecursionError):
        return b""
    parts = value if isinstance(value, list) else [value]
    return _one_line("".join(part for part in parts if isinstance(part, str)))


def _whole(body: bytes) -> bytes:
    try:
        book = json.loads(body)
        outputs = [output for cell in book["cells"] for output in cell.get("outputs", ())]
        texts = [_printed(output) for output in outputs]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return body
    return _one_line("\n".join(text for text in texts if text))


def _printed(output: dict[str, object]) -> str:
    for key, joint in (("text", ""), ("traceback", "\n")):
        value = output.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return joint.join(part for part in value if isinstance(part, str))
    data = output.get("data")
    return _printed({"text": data.get("text/plain")}) if isinstance(data, dict) else ""


def _one_line(text: str) -> bytes:
    return text.rstrip("\n").replace("\n", "\r").encode("utf-8", "replace")
