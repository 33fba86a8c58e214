"""Translates Python's regexes to JavaScript's, for the page that recognizes messages in a browser."""

from __future__ import annotations

import re

# The tokens of a regex that matter for the differences between the languages.
_TOKEN = re.compile(
    r"\\(?P<number>[1-9]\d?)|(?P<escape>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S]))"
    r"|(?P<set>\[\^?\]?(?:\\[\s\S]|[^\]\\])*\])"
    r"|\(\?P<(?P<name>\w+)>|\(\?P=(?P<back>\w+)\)|\(\?(?P<flags>[aimsxLu]+)(?P<scoped>[:)])"
    r"|(?P<plain>\((?!\?))|(?P<open>\()|(?P<close>\))|(?P<repeat>\{,\d+\})|(?P<other>[\s\S])"
)
_AT_START, _AT_END = r"(?<![\s\S])", r"(?![\s\S])"
_ESCAPES = {r"\A": _AT_START, r"\Z": _AT_END, r"\a": r"\x07"}
_RANGE = re.compile(r"\\[\s\S]|([a-z])-([a-z])|([A-Z])-([A-Z])|([a-zA-Z])|[\s\S]")


class UntranslatedError(ValueError):
    """JavaScript has no equivalent for a regex; the message says for which part."""


def to_javascript(regex: str) -> tuple[str, bool]:
    """Return `regex` for `new RegExp(…, "m")`, and whether it ignores case as a whole (then "mi").

    Groups with back-references are named after their numbers; other names are dropped. Raises UntranslatedError for
    what has no equivalent.
    """
    groups = [token["name"] for token in _TOKEN.finditer(regex) if token.lastgroup in ("name", "plain")]
    numbers = {name: number for number, name in enumerate(groups, 1) if name}
    backs = {_referred(token, numbers) for token in _TOKEN.finditer(regex)}
    opened = 0
    ignored = False
    stack = [""]  # the flags in force, one entry for each open group
    parts: list[str] = []
    for token in _TOKEN.finditer(regex):
        flags, kind, text = stack[-1], token.lastgroup, token[0]
        if kind == "escape":
            parts.append(_ESCAPES.get(text, text))
        elif kind == "set":
            text = re.sub(r"^(\[\^?)\]", r"\1\\]", text)  # it would end the set
            parts.append(_set_in_both_cases(text) if "i" in flags else text)
        elif kind in ("name", "plain"):
            stack.append(flags)
            opened += 1
            parts.append(f"(?<_{opened}>" if opened in backs else "(?:")
        elif kind in ("back", "number"):
            parts.append(rf"\k<_{_referred(token, numbers)}>")
        elif kind == "scoped":
            if set(token["flags"]) - set("im"):
                raise UntranslatedError(f"the flags {token['flags']!r}")
            if token["scoped"] == ":":
                stack.append(flags + token["flags"])
                parts.append("(?:")
            elif parts:
                raise UntranslatedError("flags in the middle")
            else:
                ignored = "i" in token["flags"]
                stack[-1] += token["flags"].replace("i", "")
        elif kind == "open":
            if regex.startswith("(?(", token.start()):
                raise UntranslatedError("a group that depends on another one")
            stack.append(flags)
            parts.append(text)
        elif kind == "close":
            stack.pop()
            parts.append(text)
        elif kind == "repeat":
            parts.append("{0" + text[1:])
        else:
            parts.append(_other(text, flags))
    return "".join(parts), ignored


def _referred(token: re.Match[str], numbers: dict[str, int]) -> int:
    """Return the number of the group that `token` refers back to; 0 if there is none."""
    return int(token["number"] or 0) or numbers.get(token["back"] or "", 0)


def _other(text: str, flags: str) -> str:
    if text == "^" and "m" not in flags:
        return _AT_START
    if text == "$" and "m" not in flags:
        return r"(?=\n?(?![\s\S]))"
    if "i" in flags and text.lower() != text.upper():
        return f"[{text.lower()}{text.upper()}]"
    return text


def _set_in_both_cases(text: str) -> str:
    letters = (piece[0].swapcase() for piece in _RANGE.finditer(text[:-1], 1) if any(piece.groups()))
    return text[:-1] + "".join(letters) + "]"
