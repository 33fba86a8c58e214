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


def likeness(told: Sequence[tuple[Sequence[str], str]]) -> dict[str, Any]:
    """What `Likeness` holds of `told`, the texts of each message with the cause that it tells of, as plain data:
    `texts_with` are lists of numbers of texts, one for each of `words`, which are in order.

    Ten texts of one message teach more than one of them, but not ten times as much.
    """
    causes = sorted({cause for _, cause in told})
    numbers = {cause: number for number, cause in enumerate(causes)}
    texts = [(text, numbers[cause], 1 / math.sqrt(len(some))) for some, cause in told for text in some]
    texts_with: dict[str, list[int]] = {}
    for number, (text, _, _) in enumerate(texts):
        for word in sorted(set(words_of(text))):
            texts_with.setdefault(word, []).append(number)
    weights = {word: weight(len(texts), len(found)) for word, found in texts_with.items()}
    squares = [0.0] * len(texts)
    for word, found in texts_with.items():
        for number in found:
            squares[number] += weights[word] ** 2
    lengths = [math.sqrt(square) / counts or 1.0 for square, (_, _, counts) in zip(squares, texts, strict=True)]
    return {
        "causes": causes,
        "cause_of": [cause for _, cause, _ in texts],
        "lengths": [round(100 * length) for length in lengths],
        "sums": [round(1000 * length) or 1 for length in _sums(texts_with, weights, lengths, texts, len(causes))],
        "words": sorted(texts_with),
        "texts_with": [texts_with[word] for word in sorted(texts_with)],
    }


def _sums(
    texts_with: dict[str, list[int]],
    weights: dict[str, float],
    lengths: Sequence[float],
    texts: Sequence[tuple[str, int, float]],
    causes: int,
) -> list[float]:
    """For each cause the length of the sum of its texts' vectors."""
    squares = [0.0] * causes
    for word, found in texts_with.items():
        parts: dict[int, float] = {}
        for number in found:
            cause = texts[number][1]
            parts[cause] = parts.get(cause, 0.0) + weights[word] / lengths[number]
        for cause, part in parts.items():
            squares[cause] += part**2
    return [math.sqrt(square) for square in squares]
