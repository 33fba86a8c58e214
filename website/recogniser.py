"""What the page that recognises messages knows: the catalog's patterns and causes, as one JavaScript file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from logsense.match import code
from logsense.model.knowledge import Catalog
from logsense.model.signature import KINDS, Pattern, Signature
from logsense.model.values import SLOT_REGEX
from logsense.records import prefixes
from logsense.util.regexes import Lazy
from website.commonness import commonness, samples
from website.javascript import UntranslatedError, to_javascript

NAME = "logsenseKnowledge"
# A character that no regex has stands for each piece that is in very many of them: of one byte for the commonest, else
# of Unicode's private use area.
_PIECES = {r"\s+": "\x7f"} | {
    regex: chr(0xE000 + number)
    for number, regex in enumerate(sorted(SLOT_REGEX.values(), key=len, reverse=True))
    if len(regex) > 4
}
MOST_CAUSES = 8


class Knowledge(NamedTuple):
    """The file's text, and the patterns (by the id of their message) that JavaScript can't say."""

    script: str
    left_out: dict[str, str]


def knowledge(catalog: Catalog, causes: Mapping[str, Sequence[str]]) -> Knowledge:
    """All that the page needs to know; `causes` are those of each message, likeliest first."""
    left_out: dict[str, str] = {}
    common = commonness(catalog, samples())
    places = {cause: place for place, cause in enumerate(catalog.causes)}
    messages = []
    for number in range(len(catalog.ids)):
        signature = catalog.signature(number)
        patterns = _patterns(signature, left_out)
        means = causes.get(signature.id, ())[:MOST_CAUSES]
        kind, fold = KINDS.index(signature.kind), int(signature.ignore_case)
        known = [signature.id, signature.title, kind, fold, common[signature.id]]
        if patterns:
            messages.append([*known, patterns, [places[cause] for cause in means]])
    data = {
        "kinds": KINDS,
        "pieces": {piece: to_javascript(regex)[0] for regex, piece in _PIECES.items()},
        "prefixes": _prefixes(),
        "source": {"statement": _of(code._STATEMENT), "frame": _of(code._FRAME)},
        "causes": list(catalog.causes.items()),
        "messages": messages,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Knowledge(f"var {NAME}={text};\n", left_out)


def _patterns(signature: Signature, left_out: dict[str, str]) -> list[list[object]]:
    """Each spelling: its regex, whether it ignores case, and the literals of which any must stand in a text."""
    found: dict[str, list[object]] = {}
    for pattern in signature.match:
        try:
            regex, ignored = to_javascript(_short(pattern))
        except UntranslatedError as problem:
            left_out[signature.id] = str(problem)
            continue
        known = found.setdefault(regex, [regex, int(ignored)])
        known.append(pattern.literal)
    return list(found.values())


def _short(pattern: Pattern) -> str:
    regex = pattern.regex
    for piece, mark in _PIECES.items():
        regex = regex.replace(piece, mark)
    return regex


def _prefixes() -> dict[str, list[str]]:
    """The prefixes that loggers and launchers print, as `logsense` itself takes them off."""
    rules = dict.fromkeys(rule for rules in prefixes._RULES.values() for rule in rules)
    anywhere = [*rules, prefixes._NCCL, prefixes._NCCL_SOURCE]
    return {"any": [*map(_of, anywhere)], "after": [_of(rule) for _, _, rule in prefixes._AFTER_LOGGER]}


def _of(regex: Lazy) -> str:
    return to_javascript(str(regex._source))[0]
