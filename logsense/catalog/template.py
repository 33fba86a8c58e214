"""Templates: a message with typed slots becomes a regex, the slots' types and the literal to scan for."""

from __future__ import annotations

import re

from logsense.model.knowledge import LITERAL_MAX
from logsense.model.signature import Pattern
from logsense.model.values import SLOT_REGEX
from logsense.util.regexes import Lazy

LITERAL_MIN = 4
WORD_MIN = 2
LINE_LITERAL_MIN = 2  # for a message that is a whole line
_PIECE = Lazy(r"\{\{|\}\}|\{(?P<slot>[^{}]*)\}|\s+|[{}]|[^{}\s]+")
_SLOT = Lazy(r"(?P<name>[A-Za-z]\w*|_)?(?::(?P<type>\w+))?")
_QUOTES = "'\"`‘“"
_CLOSING = {"‘": "’", "“": "”"}


class TemplateError(ValueError):
    """A template that can't be read; the message says what is wrong with it."""


def compile_template(template: str, at: str = "anywhere") -> Pattern:
    """Return the pattern of `template`, which must begin a line (`at` "start") or be all of one ("line").

    Raise TemplateError for an unknown slot type, a slot named twice, a stray brace or no usable literal.
    """
    parts: list[str] = []
    wild: list[int] = []  # which parts are slots that may hold anything
    slots: dict[str, str] = {}
    literals: list[str] = [""]
    matches = list(_PIECE.finditer(template.strip("\n")))
    for number, piece in enumerate(matches):
        token = piece[0]
        if token in ("{{", "}}"):
            parts.append(re.escape(token[0]))
            literals[-1] += token[0]
        elif piece["slot"] is not None:
            before = matches[number - 1][0][-1] if number else ""
            after = matches[number + 1][0][0] if number + 1 < len(matches) else ""
            leads = number == 1 and len(matches[0][0]) == 1
            kind, regex = _slot(piece["slot"], slots, before, after, leads=leads)
            if number and matches[number - 1]["slot"] is not None and (kind in WILD) == (len(parts) - 1 in wild):
                raise TemplateError("two slots side by side: nothing says where the first one ends")
            if kind in WILD:
                wild.append(len(parts))
            parts.append(regex if number or at != "anywhere" else _LEADS.get(kind, "") + regex)
            literals.append("")
        elif token.isspace():
            parts.append(_BLANK)
            literals[-1] += " "
            if token != " ":
                literals.append("")
        elif token in "{}":
            raise TemplateError(f"stray {token!r}: write it twice to mean the character")
        else:
            parts.append(re.escape(token))
            literals[-1] += token
    literal = max((text.strip() for text in literals), key=len)[:LITERAL_MAX]
    least = LINE_LITERAL_MIN if at == "line" else LITERAL_MIN
    if len(literal) < least:
        raise TemplateError(f"no literal piece of at least {least} characters to scan for")
    words = tuple(word for text in literals for word in text.split() if len(word) >= WORD_MIN)
    return Pattern(_anchored(_bounded(parts, wild), at, parts), slots, literal, words)


# Slots that may hold anything up to a line's end: what is behind them decides where they end.
WILD = ("text", "any", "rest")
_BLANK = r"\s+"
# Where a template begins with a slot, its value is not looked for anew at each of its own characters.
_LEADS = {"word": r"(?<!\S)", "name": r"(?<![\w./:\-])", "ident": r"(?<!\w)", "hex": r"(?<![0-9a-fA-F])"}
_LEADS["path"] = r"(?:(?<![^\s'\"`,;()\[\]<>|:])|(?![^\s'\"`,;()\[\]<>|:]))"


def _bounded(parts: list[str], wild: list[int]) -> str:
    """Return the regex of `parts`, in which slots that may hold anything can't make a search take forever.

    Such a slot never begins or ends in the middle of blanks. It goes on to the first place where the parts up to the
    next such slot match, and that choice is not taken back: the time grows with the length of the text, not with its
    square or cube.
    """
    regexes = list(parts)
    for number in wild:
        if number and parts[number - 1] == _BLANK:
            regexes[number - 1] += r"(?!\s)"
        if number + 1 < len(parts) and parts[number + 1] == _BLANK:
            regexes[number + 1] = r"(?<!\s)" + regexes[number + 1]
    text = "".join(regexes[: wild[0]]) if wild else "".join(regexes)
    for place, number in enumerate(wild):
        last = place + 1 == len(wild)
        segment = "".join(regexes[number:] if last else regexes[number : wild[place + 1]])
        # What (?>…) is in newer Pythons.
        text += segment if last else f"(?=(?P<_{place}>{segment}))(?P=_{place})"
    return text


def _anchored(regex: str, at: str, parts: list[str]) -> str:
    if at == "line":
        return rf"(?m:^)[ \t]*{regex}[ \t]*(?m:$)"
    if at == "start":
        return rf"(?m:^)[ \t]*{regex}"
    if parts and parts[0].startswith(("(?:[^\\n]", "(?P<")) and "[^\\n]" in parts[0]:
        return rf"(?m:^){regex}"
    return regex


def _slot(text: str, slots: dict[str, str], before: str, after: str, *, leads: bool) -> tuple[str, str]:
    """Return the type of a slot, and its regex. `leads` says that only one character of the template is before it."""
    found = _SLOT.fullmatch(text)
    if not found:
        raise TemplateError(f"can't read the slot {{{text}}}: write {{name:type}}")
    name, kind = found["name"] or "_", found["type"] or "text"
    if kind not in SLOT_REGEX:
        raise TemplateError(f"unknown slot type {kind!r}; there are {', '.join(sorted(SLOT_REGEX))}")
    regex = SLOT_REGEX[kind]
    is_bounded = kind in ("path", "word", "name") or (kind == "text" and leads)
    if is_bounded and before and before in _QUOTES and after == _CLOSING.get(before, before):
        regex = rf"[^{re.escape(after)}\n]{{1,4000}}"
    elif kind == "rest" and after:
        regex = r"[^\n]{0,2000}"
    if name == "_":
        return kind, f"(?:{regex})"
    if name in slots:
        raise TemplateError(f"slot {name!r} stands twice")
    slots[name] = kind
    return kind, f"(?P<{name}>{regex})"


def compile_pattern(regex: str, literal: str) -> Pattern:
    """Return the pattern of a plain regex, whose groups are named `name__type`, with the literal in all its matches.

    Raise TemplateError for a regex that does not compile, an unknown type, or a literal that is too short.
    """
    try:
        compiled = re.compile(regex)
    except re.error as error:
        raise TemplateError(f"not a regex: {error}") from None
    slots: dict[str, str] = {}
    for group in compiled.groupindex:
        name, _, kind = group.partition("__")
        if (kind or "text") not in SLOT_REGEX:
            raise TemplateError(f"unknown slot type {kind!r} in group {group!r}")
        slots[name] = kind or "text"
        regex = regex.replace(f"(?P<{group}>", f"(?P<{name}>")
    if len(literal) < LITERAL_MIN:
        raise TemplateError(f"literal must have at least {LITERAL_MIN} characters")
    return Pattern(regex, slots, literal[:LITERAL_MAX])
