"""Makes text from logs harmless: what could move a cursor, reorder or hide text is shown, not obeyed."""

from __future__ import annotations

import codecs

from logsense.util.regexes import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# C0, DEL and C1 controls, bidirectional marks and overrides, zero-width and other invisible characters, the tag
# block, lone surrogates (undecodable bytes).
_HARMFUL = Lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ESCAPE = Lazy(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
# Said by emoji, soft hyphens and byte order marks; nothing is lost without them.
_NEEDLESS = Lazy("[\xad\ufe00-\ufe0f\ufeff]")
_ASCII = str.maketrans(
    {"…": "...", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "•": "*", "│": "|", "✗": "x", "✓": "+",
     "→": "->", "×": "x", "≤": "<=", "≥": ">=", "↔": "<->", "·": "-", "≈": "~", "‹": "<", "›": ">",
     "←": "<-", "↑": "^", "↓": "v", "⚠": "!", "✔": "+", "─": "-", "━": "-", "█": "#", "\u202f": " ", "\xa0": " "}
)  # fmt: skip

# For text.encode(…, SPELLED): what the encoding lacks is spelled in ASCII, "…" as "...", "ä" as "a", other letters "?".
SPELLED = "logsense.spelled"


def clean(text: str) -> str:
    """`text` without escape sequences, with tabs as spaces; other harmful characters become visible ("\\u202e").

    Line breaks stay; all of them become a newline.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    return _HARMFUL.sub(_shown, _NEEDLESS.sub("", _ESCAPE.sub("", text)))


def one_line(text: str) -> str:
    """`text`, cleaned, on one line: runs of white space become one space."""
    return " ".join(clean(text).split())


def ascii_only(text: str) -> str:
    """`text` with typographic signs spelled in ASCII; for terminals that can't show others."""
    return text.translate(_ASCII)


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spelled, error.object[error.start : error.end])), error.end


def _spelled(char: str) -> str:
    import unicodedata

    if "\ud800" <= char <= "\udfff":
        return f"\\u{ord(char):04x}"
    known = ascii_only(char)
    if known.isascii():
        return known
    # Taken apart, a letter stands in front of its accents.
    return "".join(part for part in unicodedata.normalize("NFKD", char) if part.isascii()) or "?"


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code == 0:
        return "\\0"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


codecs.register_error(SPELLED, _spell)
