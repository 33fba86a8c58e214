"""Make log text safe to display: characters that move the cursor, or reorder or hide text, become visible."""

from __future__ import annotations

import codecs
import re

from logsense.util.regexes import Lazy

# C0, DEL and C1 control characters, bidirectional marks and overrides, zero-width and other invisible characters,
# the tag block, and lone surrogates (undecodable bytes).
_HARMFUL = Lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ESCAPE = Lazy(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
# Soft hyphens, variation selectors (of emoji) and byte order marks carry no meaning here.
_MEANINGLESS = Lazy("[\xad\ufe00-\ufe0f\ufeff]")
_ASCII = str.maketrans(
    {"…": "...", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "•": "*", "│": "|", "✗": "x", "✓": "+",
     "→": "->", "×": "x", "≤": "<=", "≥": ">=", "↔": "<->", "·": "-", "≈": "~", "‹": "<", "›": ">",
     "←": "<-", "↑": "^", "↓": "v", "⚠": "!", "✔": "+", "─": "-", "━": "-", "█": "#", "▒": "=", "░": ".",
     "▁": "_", "▂": ".", "▃": ",", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "\u202f": " ", "\xa0": " "}
)  # fmt: skip

# Error handler for str.encode: what the encoding lacks becomes ASCII ("…" → "...", "ä" → "a", others → "?").
AS_ASCII = "logsense.ascii"


def clean(text: str) -> str:
    """Return `text` without escape sequences and with tabs expanded; other harmful characters become "\\u202e".

    Line breaks of every kind become newlines.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    return _HARMFUL.sub(_escaped, _MEANINGLESS.sub("", _ESCAPE.sub("", text)))


def one_line(text: str) -> str:
    """Return `text`, cleaned, on one line: runs of whitespace become one space."""
    return " ".join(clean(text).split())


def ascii_only(text: str) -> str:
    """Return `text` with typographic characters replaced by ASCII, for terminals that can't show them."""
    return text.translate(_ASCII)


def _encode_as_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_char_as_ascii, error.object[error.start : error.end])), error.end


def _char_as_ascii(char: str) -> str:
    import unicodedata

    if "\ud800" <= char <= "\udfff":
        return f"\\u{ord(char):04x}"
    known = ascii_only(char)
    if known.isascii():
        return known
    # NFKD separates a letter from its accents.
    return "".join(part for part in unicodedata.normalize("NFKD", char) if part.isascii()) or "?"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code == 0:
        return "\\0"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


codecs.register_error(AS_ASCII, _encode_as_ascii)
