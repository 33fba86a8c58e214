"""Gathers by which words the causes are told: those of all samples and examples in the catalog.

What no signature knows can be likened to them (logsense/diagnose/likeness.py).
"""

from __future__ import annotations

import math

from logsense.catalog.needs import asked, expanded
from logsense.model.rule import Combined, Found, NotFound
from logsense.model.words import weight, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from logsense.model.rule import Condition, Rule


def causes_told(rules: Iterable[Rule], ids: Sequence[str]) -> dict[str, str]:
    """For each signature the cause that it speaks for most, all by itself.

    An argument that asks for more than the message, or for any message of a program, tells the less of that message.
    """
    weights: dict[str, tuple[float, str]] = {}
    for rule in rules:
        for argument in rule.arguments:
            asked_for = sum(not _excludes(one) for one in argument.when)
            for one in asked(argument.when, (Found,)):
                told = argument.weight / (asked_for + ("*" in one))
                for name in expanded(one, ids):
                    weights[name] = max(weights.get(name, (0.0, "")), (told, rule.cause))
    return {name: cause for name, (weight, cause) in weights.items() if weight > 0}


def _excludes(condition: Condition) -> bool:
    return isinstance(condition, NotFound) or (isinstance(condition, Combined) and condition.how == "none")


def likeness(texts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What `Likeness` holds of `texts`, pairs of a text and its cause, as plain data: `texts_with` are lists of numbers
    of texts, one for each of `words`."""
    causes = sorted({cause for _, cause in texts})
    numbers = {cause: number for number, cause in enumerate(causes)}
    texts_with: dict[str, list[int]] = {}
    for number, (text, _) in enumerate(texts):
        for word in sorted(set(words_of(text))):
            texts_with.setdefault(word, []).append(number)
    squares = [0.0] * len(texts)
    for found in texts_with.values():
        for number in found:
            squares[number] += weight(len(texts), len(found)) ** 2
    return {
        "causes": causes,
        "cause_of": [numbers[cause] for _, cause in texts],
        "lengths": [round(100 * math.sqrt(square)) or 1 for square in squares],
        "words": list(texts_with),
        "texts_with": list(texts_with.values()),
    }
