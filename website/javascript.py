"""Python's regexes as JavaScript's, for the page that recognises messages in a browser."""

from __future__ import annotations

import re

# What a regex is made of, as far as the two languages differ.
_TOKEN = re.compile(
    r"(?P<escape>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S]))|(?P<set>\[\^?\]?(?:\\[\s\S]|[^\]\\])*\])"
    r"|\(\?P<(?P<name>\w+)>|\(\?P=(?P<back>\w+)\)|\(\?(?P<flags>[aimsxLu]+)(?P<scoped>[:)])|(?P<open>\()"
    r"|(?P<close>\))|(?P<repeat>\{,\d+\})|(?P<other>[\s\S])"
)
_AT_START, _AT_END = r"(?<![\s\S])", r"(?![\s\S])"
_ESCAPES = {r"\A": _AT_START, r"\Z": _AT_END, r"\a": r"\x07"}
_RANGE = re.compile(r"\\[\s\S]|([a-z])-([a-z])|([A-Z])-([A-Z])|([a-zA-Z])|[\s\S]")


class UntranslatedError(ValueError):
    """A regex that JavaScript can't say; the message tells what it can't."""


def to_javascript(regex: str) -> tuple[str, bool]:
    """`regex` for `new RegExp(…, "m")`, and whether all of it ignores case ("mi" then).

    Names of groups are kept where the regex refers back to them, and dropped elsewhere.
    Raises UntranslatedError for what has no counterpart.
    """
    backs = set(re.findall(r"\(\?P=(\w+)\)", regex))
    ignored = False
    stack = [""]  # the flags in force, one entry for each open group
    parts: list[str] = []
    for token in _TOKEN.finditer(regex):
        flags, kind, text = stack[-1], token.lastgroup, token[0]
        if kind == "escape":
            parts.append(_ESCAPES.get(text, text))
        elif kind == "set":
            text = re.sub(r"^(\[\^?)\]", r"\1\\]", text)  # which would end the set
            parts.append(_set_in_both_cases(text) if "i" in flags else text)
        elif kind == "name":
            stack.append(flags)
            parts.append(f"(?<{token['name']}>" if token["name"] in backs else "(?:")
        elif kind == "back":
            parts.append(rf"\k<{token['back']}>")
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
