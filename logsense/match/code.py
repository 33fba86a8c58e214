"""Tells lines of source code, which hold a message as a literal, from lines that a program printed."""

from __future__ import annotations

from logsense.model.record import Record
from logsense.util.regexes import Lazy

# Statements of Python and C++ that hold the text of a message.
_STATEMENT = Lazy(
    r"(?m)\s*(?:"
    r"assert\s+[^,\"']+,\s*f?[\"'(]|raise \w[\w.]*\(\s*[fr]?[\"']|except \w[\w.]*(?: as \w+)?:|"
    r"(?:print|printf|fprintf|puts|exit|sys\.exit)\(|(?:self\.)?_?log(?:ger|ging)?\.\w+\(|warnings\.warn\(|"
    r"(?:el)?if [^\n]*[\"'(][^\n]*:(?=\s*$)|(?:async )?def \w+\(|class [A-Za-z_]\w*(?:\([^)\n]*\))?:|[\"']{3}|"
    r"from [\w.]+ import |import [\w.]+(?: as \w+)?$|"
    r"(?:std::)?c(?:err|out)\s*<<|throw \w|[A-Z_]{0,20}(?:CHECK|WARN|ERROR|ASSERT)\w*\()"
)
# A line of code in a notebook's traceback, which shows some around the one that ran; an arrow stands before that.
_LISTED = Lazy(r"(-+> ?|[ \t]+)\d{1,6}(?: |$)")
_FRAME = Lazy(r"\s*File \"[^\"\n]*\", line \d+|\s*at \S+:\d+")


def is_source(record: Record, at: int) -> bool:
    """Return whether the line of `record` that holds the character at `at` is source code.

    In a traceback that is the line below each frame; elsewhere, a statement that would print or raise a message.
    """
    text = record.text
    begin = text.rfind("\n", 0, at) + 1
    if _is_listed(record, begin):
        return True
    if begin and _FRAME.match(text, text.rfind("\n", 0, begin - 1) + 1):
        return True
    return record.raised is None and _STATEMENT.match(text, begin) is not None


def is_beside(record: Record, at: int) -> bool:
    """Return whether the character at `at` is in code that a notebook's traceback shows around what ran."""
    begin = record.text.rfind("\n", 0, at) + 1
    return _is_listed(record, begin) and record.text[begin] != "-"


def _is_listed(record: Record, begin: int) -> bool:
    text = record.text
    if record.raised is None or not (text.startswith((" ", "\t", "-"), begin) and "-> " in text):
        return False
    return _LISTED.match(text, begin) is not None
