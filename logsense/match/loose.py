"""The loose form of a regex, which finds in a raw line what the regex may find in its record."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logsense.model.signature import Pattern
from logsense.util import regexes
from logsense.util.regexes import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Where a message may begin in a raw line: not within a word, but behind a color's code or a written line break.
MAY_BEGIN = r"(?:(?<![A-Za-z])|(?<=[\x1b\d;\[][A-Za-z])|(?<=\\[a-z])|(?=Traceback))"
# That, an escaped character, a class of characters, the start of a group, also of what must not be there, or any other.
_TOKENS = Lazy(rf"(?s){re.escape(MAY_BEGIN)}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?!|.")
PLACES = 2  # at which a regex that looks ahead is tried, of the first and of the last where it may begin


class FirstAndLast:
    """A loose regex that looks ahead: searches at the first and the last places where its `head` matches.

    A line may hold hundreds of such places, and to look ahead from one takes as long as the rest of the line.
    """

    def __init__(self, head: Any, whole: Any) -> None:
        self._head, self._whole = head, whole

    def search(self, text: str, begin: int, end: int) -> Any:
        """Return a match of the whole regex, or None."""
        places = [found.start() for found in self._head.finditer(text, begin, end)]
        tried = (self._whole.match(text, at, end) for at in dict.fromkeys((*places[:PLACES], *places[-PLACES:])))
        return next(filter(None, tried), None)


def first_and_last(regex: str, flags: int) -> FirstAndLast | None:
    """Return how to search for a regex that is loose and looks ahead behind what every match begins with; else None."""
    if MAY_BEGIN not in regex:
        return None
    depth = part = ahead = 0
    tokens = _TOKENS.findall(regex)
    for at, token in enumerate(tokens):
        if not depth:
            part = at
            if token == "|":
                return None
        if not ahead and (token == "(?!" or tokens[at : at + 3] == [*"(?="]):
            ahead = part
        depth += token.startswith("(") - (token in (")", MAY_BEGIN))
    head = "".join(tokens[:ahead])
    if MAY_BEGIN not in head or regexes.compiled(head, flags).match(""):
        return None
    return FirstAndLast(regexes.compiled(head, flags), regexes.compiled(regex, flags))


def loose(pattern: Pattern) -> Pattern:
    """Return `pattern` without its anchors to a line's ends: it holds behind a prefix, too, and before a remark.

    Those stay that begin with a run of any characters, which a prefix is, and those in what must not be there.
    """
    tokens = _TOKENS.findall(pattern.regex)
    parts: list[str] = []
    refused: list[bool] = []  # for each open group: whether it is part of what must not be there
    for at, token in enumerate(tokens):
        if token.startswith("("):
            refused.append(token != "(" or any(refused))
        elif token == ")":
            refused.pop()
        elif token == "$" and not any(refused):
            continue
        elif token == "^" and not any(refused) and not _begins_with_run(tokens, at + 1):
            token = MAY_BEGIN
        parts.append(token)
    return pattern._replace(regex="".join(parts))


def _begins_with_run(tokens: Sequence[str], at: int) -> bool:
    """Return whether a run of any characters begins at `at`, or behind what must not be there."""
    while tokens[at : at + 1] == ["(?!"]:
        depth = 1
        while depth and at + 1 < len(tokens):
            at += 1
            depth += tokens[at].startswith("(") - (tokens[at] == ")")
        at += 1
    return tokens[at : at + 1] == [r"[^\n]"] and tokens[at + 1 : at + 2] in (["*"], ["{"])
