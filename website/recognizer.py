"""Writes what the page that recognizes messages knows, the catalog's patterns and causes, as one JavaScript file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from logsense.match import code
from logsense.model.knowledge import Catalog
from logsense.model.signature import KINDS, Pattern, Signature
from logsense.model.values import SLOT_REGEX
from logsense.records import prefixes
from website.javascript import UntranslatedError, to_javascript
from website.message_frequency import other_samples_with, samples

NAME = "logsenseKnowledge"
# Abbreviates frequent pieces of regexes by characters that no regex contains: one byte for the most frequent, otherwise
# Unicode's private use area.
_PIECES = {r"\s+": "\x7f"} | {
    regex: chr(0xE000 + number)
    for number, regex in enumerate(sorted(SLOT_REGEX.values(), key=len, reverse=True))
    if len(regex) > 4
}
MOST_CAUSES = 8


class Knowledge(NamedTuple):
    """The text of the file, and the patterns that JavaScript can't express, by message id."""

    script: str
    left_out: dict[str, str]


def knowledge(catalog: Catalog, causes: Mapping[str, Sequence[str]]) -> Knowledge:
    """Return everything that the page needs; `causes` are those of each message, likeliest first."""
    left_out: dict[str, str] = {}
    common = other_samples_with(catalog, samples())
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
        "pieces": {piece: to_javascript(str(regex))[0] for regex, piece in _PIECES.items()},
        "prefixes": _prefixes(),
        "source": {"statement": _of(code._STATEMENT._source), "frame": _of(code._FRAME._source)},
        "causes": list(catalog.causes.items()),
        "messages": messages,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Knowledge(f"var {NAME}={text};\n", left_out)


def _patterns(signature: Signature, left_out: dict[str, str]) -> list[list[object]]:
    """Return, for each pattern, its regex, whether it ignores case, and literals of which a text must hold one."""
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
    """Return the prefixes of loggers and launchers, as `logsense` removes them."""
    anywhere = [*(source for _, source in prefixes.RULES), *prefixes.NCCL]
    return {"any": [*map(_of, anywhere)], "after": [_of(source) for _, source in prefixes.AFTER_LOGGER]}


def _of(regex: str | bytes) -> str:
    return to_javascript(str(regex))[0]
